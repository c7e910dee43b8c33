-- Which slices of the traffic lie above a limit ($below: below it), and by how many observations more than may
-- ($tolerated, a share)?
-- Without $tolerated the series is a mean, and what counts is how often its budget is overspent.
WITH labelled AS (
    SELECT observed.value, answers.intent, answers.service_version, answers.slices
    FROM observations($signal, $series, $window_start::TIMESTAMP, $window_end::TIMESTAMP) AS observed
    INNER JOIN answers
        ON answers.trace_id = observed.trace_id AND answers.span_id = observed.answer_span_id
    WHERE isfinite(observed.value)
        AND answers.started_at >= $window_start::TIMESTAMP - INTERVAL 1 HOUR
        AND answers.started_at < $window_end::TIMESTAMP + INTERVAL 1 HOUR
),
slices AS (
    SELECT 'intent' AS name, intent AS slice, value FROM labelled
    UNION ALL
    SELECT 'service_version', service_version, value FROM labelled
    UNION ALL
    SELECT entry.key, entry.value, value
    FROM (SELECT value, unnest(map_entries(try_cast(slices AS MAP(VARCHAR, VARCHAR)))) AS entry FROM labelled)
)
SELECT
    name,
    slice,
    count(*) AS n,
    favg(value) AS mean,
    quantile_disc(value, [0.5, 0.95, 0.99]) AS quantiles,
    coalesce(
        count(*) FILTER (if($below, value < $limit, value > $limit)) - $tolerated::DOUBLE * count(*),
        count(*) * (favg(value) / $limit - 1)
    ) AS excess
FROM slices
WHERE slice IS NOT NULL
GROUP BY name, slice
HAVING excess > 0
ORDER BY excess DESC, name, slice
LIMIT $most;
