-- What did each answer cost that started in a window? NULL where no stage has a cost.
SELECT value FROM observed_answer_cost($window_start::TIMESTAMP, $window_end::TIMESTAMP);
