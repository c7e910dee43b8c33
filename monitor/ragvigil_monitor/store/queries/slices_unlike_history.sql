-- In which slices do more observations lie above a limit ($below: below it) than in the history of the same slice?
-- A slice with little history is expected to be like the whole ($tolerated, a share), which is worth 100 observations.
WITH counted AS (
    SELECT
        name,
        slice,
        count(*) FILTER (recent) AS n,
        favg(value) FILTER (recent) AS mean,
        count(*) FILTER (recent AND beyond) AS n_beyond,
        count(*) FILTER (usual) AS usual_n,
        count(*) FILTER (usual AND beyond) AS usual_beyond
    FROM (
        SELECT
            *,
            started_at >= $window_start::TIMESTAMP AS recent,
            started_at < $window_end::TIMESTAMP - INTERVAL 24 HOUR AS usual,
            if($below, value < $limit, value > $limit) AS beyond
        FROM sliced_observations($signal, $series, $history_start::TIMESTAMP, $window_end::TIMESTAMP)
    )
    GROUP BY name, slice
)
SELECT name, slice, n, mean, n_beyond - n * (usual_beyond + 100 * $tolerated) / (usual_n + 100) AS excess
FROM counted
WHERE n > 0 AND excess > 0
ORDER BY excess DESC, name, slice
LIMIT $most;
