-- What do the outer products of an encoder's vectors add up to, for each day of a window?
SELECT n, vector_sum, second_moment
FROM drift_days
WHERE day >= $window_start::TIMESTAMP AND day < $window_end::TIMESTAMP
    AND model = $model AND dimension = $dimension
ORDER BY day;
