-- How long did the answers take that started in a window?
SELECT value FROM observed_answer_latency($window_start::TIMESTAMP, $window_end::TIMESTAMP);
