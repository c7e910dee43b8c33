-- Which answers do some traces have in a time range?
SELECT trace_id, span_id, answer_id
FROM answers
WHERE started_at >= $start::TIMESTAMP AND started_at < $end::TIMESTAMP AND trace_id IN (SELECT unnest($trace_ids));
