-- Which vectors did an encoder make in a window, at most so many of them?
SELECT started_at, trace_id, intent, unit_f16
FROM sampled_query_vectors($model, $dimension, $window_start::TIMESTAMP, $window_end::TIMESTAMP, $most);
