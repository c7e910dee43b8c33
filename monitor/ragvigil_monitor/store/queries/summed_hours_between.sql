-- Up to when have hours been added up, and which of those between two times are not, because more came for them?
SELECT
    max(hour) + INTERVAL 1 HOUR AS summed_until,
    coalesce(list(hour ORDER BY hour) FILTER (state = 'stale' AND hour >= $start AND hour < $end), []) AS stale
FROM summed_hours;
