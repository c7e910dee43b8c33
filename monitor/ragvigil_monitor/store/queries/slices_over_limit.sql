-- Which slices of the traffic lie above a limit ($below: below it), and by how many observations more than may
-- ($tolerated, a share)?
-- Without $tolerated the series is a mean, and what counts is how often its limit is overspent, or missing from it.
SELECT
    name,
    slice,
    count(*) AS n,
    favg(value) AS mean,
    quantile_disc(value, [0.5, 0.95, 0.99]) AS quantiles,
    coalesce(
        count(*) FILTER (if($below, value < $limit, value > $limit)) - $tolerated::DOUBLE * count(*),
        count(*) * if($below, 1 - favg(value) / $limit, favg(value) / $limit - 1)
    ) AS excess
FROM sliced_observations($signal, $series, $window_start::TIMESTAMP, $window_end::TIMESTAMP)
GROUP BY name, slice
HAVING excess > 0
ORDER BY excess DESC, name, slice
LIMIT $most;
