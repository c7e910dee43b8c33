-- Of which hours do sums not tell how much had arrived when a process reported? Those that are stale, and those within
-- which one reported last.
SELECT hour FROM summed_hours WHERE state = 'stale' AND hour >= $spans_since
UNION
SELECT arrivals.hour
FROM arrivals
INNER JOIN process_counts AS counts ON counts.instance_id = arrivals.instance_id
WHERE arrivals.hour >= $spans_since
    AND arrivals.first_span_at <= counts.reported_at AND arrivals.last_span_at > counts.reported_at
ORDER BY hour;
