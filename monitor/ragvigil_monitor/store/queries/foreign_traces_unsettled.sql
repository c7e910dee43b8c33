-- In which traces, the earliest first, did other instrumentations tell of chains, models or searches in a time range that
-- belong to no answer, and how much is that to read? Not those with more than $most_bytes. A call without a stage is told
-- of elsewhere.
WITH waiting AS (
    SELECT DISTINCT trace_id
    FROM spans
    WHERE started_at >= $earliest::TIMESTAMP AND started_at <= $latest::TIMESTAMP
        AND answer_span_id IS NULL AND kind IN ('CHAIN', 'AGENT', 'LLM', 'RETRIEVER', 'RERANKER')
        AND (kind <> 'LLM' OR stage IS NOT NULL)
        AND contains(attributes::VARCHAR, '"otel.scope.name"')
)

SELECT trace_id, sum(500 + coalesce(strlen(attributes::VARCHAR), 0))::BIGINT AS bytes
FROM spans
WHERE started_at >= $start::TIMESTAMP AND started_at < $end::TIMESTAMP AND trace_id IN (SELECT trace_id FROM waiting)
GROUP BY trace_id
HAVING bytes <= $most_bytes
ORDER BY min(started_at);
