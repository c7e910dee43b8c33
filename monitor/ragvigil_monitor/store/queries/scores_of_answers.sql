-- How did a judge score each sampled answer that started in a window? NULL where it could not.
SELECT value FROM observed_faithfulness($window_start::TIMESTAMP, $window_end::TIMESTAMP);
