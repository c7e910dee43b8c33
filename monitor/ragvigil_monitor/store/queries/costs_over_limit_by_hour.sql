-- How many answers cost more than a limit ($below: less), hour by hour from an origin, in hours that are added up?
SELECT
    floor(epoch(started_at - $origin::TIMESTAMP) / 3600)::INTEGER AS hour,
    count(*) AS n,
    count(*) FILTER (if($below, cost_usd < $limit, cost_usd > $limit)) AS over_limit
FROM answer_stages
WHERE started_at >= $window_start AND started_at < $window_end AND stage = '' AND isfinite(cost_usd)
GROUP BY hour
ORDER BY hour;
