-- What did each answer of some traces cost that started in hours that are added up? NULL where no stage has a cost.
SELECT trace_id, answer_span_id AS span_id, cost_usd
FROM answer_stages
WHERE started_at >= $start AND started_at < $end AND stage = '' AND list_contains($trace_ids, trace_id);
