-- What was asked and answered?
SELECT question, answer
FROM answers
WHERE trace_id = $trace_id AND span_id = $span_id AND started_at = $started_at;
