-- Which hours from before a time are not added up as they should be, or were never passed? One that failed three times is
-- not waited for.
SELECT hour FROM summed_hours WHERE state = 'stale' AND failures < 3 AND hour < $before
UNION ALL
SELECT date_trunc('hour', started_at)
FROM (SELECT started_at FROM spans UNION ALL SELECT started_at FROM answers)
WHERE started_at < $before AND started_at >= coalesce((SELECT max(hour) + INTERVAL 1 HOUR FROM summed_hours), '-infinity')
LIMIT 1;
