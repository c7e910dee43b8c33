-- Which vectors did an encoder make on the days of a window, at most so many of them?
SELECT started_at, trace_id, intent, unit_f16
FROM sampled_days($model, $dimension, $window_start::TIMESTAMP, $window_end::TIMESTAMP, $most);
