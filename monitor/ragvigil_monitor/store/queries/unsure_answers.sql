-- Which answers of a time range was the application itself unsure of?
SELECT trace_id, span_id
FROM answers
WHERE started_at >= $start AND started_at < $end AND confidence < $below;
