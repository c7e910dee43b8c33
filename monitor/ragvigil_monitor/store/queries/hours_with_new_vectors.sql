-- In which hours of a window have more or other vectors arrived than were added up?
WITH arrived AS (
    SELECT date_trunc('hour', started_at) AS hour, coalesce(model, '') AS model, dimension, count(*) AS n
    FROM query_vectors
    WHERE started_at >= $window_start::TIMESTAMP AND started_at < $window_end::TIMESTAMP
    GROUP BY ALL
)
SELECT arrived.hour, arrived.model, arrived.dimension
FROM arrived
LEFT JOIN drift_hours AS known USING (hour, model, dimension)
WHERE known.n + known.unusable IS DISTINCT FROM arrived.n
ORDER BY ALL;
