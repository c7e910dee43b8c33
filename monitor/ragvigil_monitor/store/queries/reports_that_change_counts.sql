-- How many reports of each service tell more than the store knows of their process, in all and in that hour?
SELECT report.service, count(*) AS reports
FROM (SELECT DISTINCT * FROM batch) AS report
LEFT JOIN process_counts AS latest ON latest.instance_id = report.instance_id
LEFT JOIN process_counts_by_hour AS hourly
    ON hourly.instance_id = report.instance_id AND hourly.hour = date_trunc('hour', report.reported_at)
WHERE latest.instance_id IS NULL
    OR hourly.instance_id IS NULL
    OR report.reported_at > least(latest.reported_at, hourly.reported_at)
    OR report.started > least(latest.started, hourly.started)
    OR report.exported > least(latest.exported, hourly.exported)
    OR report.dropped > least(latest.dropped, hourly.dropped)
    OR (report.reported_at = latest.reported_at AND report.spooled <> latest.spooled)
    OR (report.reported_at = hourly.reported_at AND report.spooled <> hourly.spooled)
GROUP BY report.service;
