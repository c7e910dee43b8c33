-- In which traces of a time range, the earliest first, did other instrumentations tell of chains, models or searches that
-- belong to no answer? A call without a stage is told of elsewhere.
SELECT trace_id
FROM spans
WHERE started_at >= $earliest::TIMESTAMP AND started_at <= $latest::TIMESTAMP
    AND answer_span_id IS NULL AND kind IN ('CHAIN', 'AGENT', 'LLM', 'RETRIEVER', 'RERANKER')
    AND (kind <> 'LLM' OR stage IS NOT NULL)
    AND contains(attributes::VARCHAR, '"otel.scope.name"')
GROUP BY trace_id
ORDER BY min(started_at);
