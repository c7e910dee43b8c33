-- Which spans from before a time are still stored? What was removed is counted by process.
INSERT INTO arrivals BY NAME
SELECT
    date_trunc('hour', started_at) AS hour, service, instance_id, count(*) AS spans, min(started_at) AS first_span_at,
    max(started_at) AS last_span_at
FROM spans
WHERE started_at < $before
GROUP BY ALL;
