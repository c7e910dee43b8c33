-- Which vectors did an encoder make in a window?
SELECT unit_f16
FROM query_vectors
WHERE started_at >= $window_start::TIMESTAMP AND started_at < $window_end::TIMESTAMP
    AND coalesce(model, '') = $model AND dimension = $dimension;
