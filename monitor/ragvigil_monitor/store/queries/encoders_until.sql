-- Which encoders made vectors before a time, and since which hour?
SELECT model, dimension, min(hour) AS since
FROM drift_hours
WHERE hour < $now::TIMESTAMP
GROUP BY model, dimension;
