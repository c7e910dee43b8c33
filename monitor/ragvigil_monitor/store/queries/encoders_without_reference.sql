-- Which encoders are in use and have a long enough history, but no reference of this version? Asked once a day for each.
SELECT model, dimension
FROM drift_hours
WHERE hour < $now::TIMESTAMP
GROUP BY model, dimension
HAVING min(hour) <= $history_start::TIMESTAMP
    AND max(hour) >= $now::TIMESTAMP - INTERVAL 1 DAY
    AND date_diff('hour', min(hour), $now::TIMESTAMP) % 24 = 0
    AND NOT EXISTS (
        SELECT 1 FROM drift_references AS known
        WHERE known.model = drift_hours.model AND known.dimension = drift_hours.dimension AND known.version = $version
    )
ORDER BY model, dimension;
