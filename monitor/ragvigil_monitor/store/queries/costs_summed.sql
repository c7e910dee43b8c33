-- What did each answer cost that started in hours that are added up? NULL where no stage has a cost.
SELECT cost_usd AS value FROM answer_stages WHERE started_at >= $window_start AND started_at < $window_end AND stage = '';
