-- What did each answer of some traces cost that started in a time range? NULL where no stage has a cost.
SELECT trace_id, answer_span_id AS span_id, value AS cost_usd
FROM observed_answer_cost($start::TIMESTAMP, $end::TIMESTAMP)
WHERE list_contains($trace_ids, trace_id);
