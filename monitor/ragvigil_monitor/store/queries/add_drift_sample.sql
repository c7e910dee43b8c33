-- Which vectors stand for a reference? Some of the window that it was learnt from.
INSERT INTO drift_samples BY NAME
SELECT $model AS model, $dimension AS dimension, $version AS version, *
FROM sampled_days($model, $dimension, $window_start::TIMESTAMP, $window_end::TIMESTAMP, $most);
