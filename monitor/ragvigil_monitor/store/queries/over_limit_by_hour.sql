-- How many observations of a series in a window lie above a limit ($below: below it), hour by hour from an origin?
SELECT
    floor(epoch(started_at - $origin::TIMESTAMP) / 3600)::INTEGER AS hour,
    count(*) AS n,
    count(*) FILTER (if($below, value < $limit, value > $limit)) AS over_limit
FROM observations($signal, $series, $window_start::TIMESTAMP, $window_end::TIMESTAMP)
WHERE isfinite(value)
GROUP BY hour
ORDER BY hour;
