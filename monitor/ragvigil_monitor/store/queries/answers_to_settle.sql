-- Which answers do some traces have in a time range?
SELECT trace_id, span_id, answer_id
FROM answers
WHERE started_at >= $start::TIMESTAMP AND started_at < $end::TIMESTAMP AND list_contains($trace_ids, trace_id);
