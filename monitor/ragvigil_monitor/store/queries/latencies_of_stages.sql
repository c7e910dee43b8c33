-- How long did each stage take in a window, one list a stage? NaN where it is unknown: a list loses its NULLs in numpy.
SELECT stage, list(coalesce(value, 'NaN'::DOUBLE)) AS durations_ms
FROM observed_stage_latency($window_start::TIMESTAMP, $window_end::TIMESTAMP)
GROUP BY stage
ORDER BY stage;
