-- Which answers belong to a trace that started inside a time range?
SELECT
    trace_id, span_id, answer_id, started_at, duration_ms, service, service_version, status, session_id, intent,
    slices, question, answer, citations, refusal, confidence
FROM answers
WHERE trace_id = $trace_id AND started_at >= $start AND started_at < $end
ORDER BY started_at;
