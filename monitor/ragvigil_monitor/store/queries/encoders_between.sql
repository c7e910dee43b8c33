-- Which encoders made vectors in a window, the busiest first?
SELECT model, dimension
FROM drift_hours
WHERE hour >= $window_start::TIMESTAMP AND hour < $window_end::TIMESTAMP
GROUP BY model, dimension
HAVING sum(n) > 0
ORDER BY sum(n) DESC, model, dimension;
