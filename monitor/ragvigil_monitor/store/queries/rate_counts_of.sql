-- How many answers of each series had the event, hour by hour from the start of a window?
SELECT
    series,
    list((epoch(hour - $window_start::TIMESTAMP) // 3600)::INTEGER) AS hours,
    list(events::DOUBLE) AS events,
    list(totals::DOUBLE) AS totals
FROM rate_counts
WHERE signal = $signal AND hour >= $window_start::TIMESTAMP AND hour < $window_end::TIMESTAMP
GROUP BY series
ORDER BY series;
