-- Which documents do the answers of some traces cite, in a time range? NULL where the application does not say.
SELECT trace_id, span_id, citations
FROM answers
WHERE list_contains($trace_ids, trace_id) AND started_at >= $start AND started_at < $end;
