-- What did some answers of a time range say, and was it a refusal?
SELECT trace_id, span_id, answer, refusal
FROM answers
WHERE started_at >= $start AND started_at < $end AND trace_id IN (SELECT unnest($trace_ids));
