-- Which answers of a time range are the newest?
SELECT trace_id, span_id, answer_id, started_at, duration_ms, service, service_version, intent, status, question
FROM answers
WHERE started_at >= $start AND started_at < $end AND ($intent IS NULL OR intent = $intent)
ORDER BY started_at DESC
LIMIT $limit;
