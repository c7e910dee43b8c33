-- What do the vectors of each hour of a window add up to, for each encoder?
SELECT hour, model, dimension, n, unusable, vector_sum, square_sum
FROM drift_hours
WHERE hour >= $window_start::TIMESTAMP AND hour < $window_end::TIMESTAMP
ORDER BY hour, model, dimension;
