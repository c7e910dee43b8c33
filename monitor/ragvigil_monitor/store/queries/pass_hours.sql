-- Which hours that were over before a time hold something, after those that were passed before? They are to be added up.
INSERT INTO summed_hours (hour, state)
SELECT DISTINCT date_trunc('hour', started_at), 'stale'
FROM (SELECT started_at FROM spans UNION ALL SELECT started_at FROM answers)
WHERE started_at >= $summed_until AND started_at < $over_before;
