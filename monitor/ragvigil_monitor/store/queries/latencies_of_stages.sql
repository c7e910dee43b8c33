-- How long did each stage take in a window, one list a stage?
SELECT stage, list(value) AS durations_ms
FROM observed_stage_latency($window_start::TIMESTAMP, $window_end::TIMESTAMP)
GROUP BY stage
ORDER BY stage;
