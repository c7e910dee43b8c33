-- In which traces of a time range did other instrumentations tell of chains, models or searches that belong to no answer?
SELECT DISTINCT trace_id
FROM spans
WHERE started_at >= $earliest::TIMESTAMP AND started_at <= $latest::TIMESTAMP
    AND answer_span_id IS NULL AND kind IN ('CHAIN', 'AGENT', 'LLM', 'RETRIEVER', 'RERANKER')
    AND contains(attributes::VARCHAR, '"otel.scope.name"');
