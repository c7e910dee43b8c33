-- In which hours did something start that is new? Those that have been passed have to be added up again, with the hours
-- beside them, where its answer may be. To what is final, answers are only added.
INSERT INTO summed_hours (hour, state)
SELECT DISTINCT near, 'stale'
FROM (
    SELECT unnest([hour - INTERVAL 1 HOUR, hour, hour + INTERVAL 1 HOUR]) AS near
    FROM (SELECT DISTINCT date_trunc('hour', started_at) AS hour FROM batch)
)
WHERE near <= (SELECT max(hour) FROM summed_hours)
ON CONFLICT (hour) DO UPDATE SET state = if(summed_hours.state = 'final', 'added_to', 'stale')
WHERE summed_hours.state IN ('summed', 'final');
