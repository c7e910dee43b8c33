-- In which slices is there more of an event of a rate ($below: less) than in the history of the same slice?
-- A slice with little history is expected to be like the whole ($tolerated, a share), which is worth 100 observations.
WITH counted AS (
    SELECT
        name,
        slice,
        sum(totals) FILTER (recent) AS n,
        sum(events) FILTER (recent) / sum(totals) FILTER (recent) AS mean,
        coalesce(sum(beyond) FILTER (recent), 0) AS n_beyond,
        coalesce(sum(totals) FILTER (usual), 0) AS usual_n,
        coalesce(sum(beyond) FILTER (usual), 0) AS usual_beyond
    FROM (
        SELECT
            *,
            hour >= $window_start::TIMESTAMP AS recent,
            hour < $window_end::TIMESTAMP - INTERVAL 24 HOUR AS usual,
            if($below, totals - events, events) AS beyond
        FROM rate_slices
        WHERE signal = $signal AND series = $series
            AND hour >= $history_start::TIMESTAMP AND hour < $window_end::TIMESTAMP
    )
    GROUP BY name, slice
)
SELECT
    name, slice, n::BIGINT AS n, mean, (n_beyond - n * (usual_beyond + 100 * $tolerated) / (usual_n + 100))::DOUBLE AS excess
FROM counted
WHERE n > 0 AND excess > 0
ORDER BY excess DESC, name, slice
LIMIT $most;
