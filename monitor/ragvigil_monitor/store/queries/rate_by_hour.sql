-- How many answers of a series had the event of a rate ($below: had it not), hour by hour from an origin?
SELECT
    (epoch(hour - $origin::TIMESTAMP) // 3600)::INTEGER AS hour,
    totals AS n,
    if($below, totals - events, events) AS over_limit
FROM rate_counts
WHERE signal = $signal AND series = $series AND hour >= $window_start AND hour < $window_end
ORDER BY hour;
