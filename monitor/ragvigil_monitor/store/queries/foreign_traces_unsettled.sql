-- Which traces, the earliest first, have to be settled, of which service are they, and how much is that to read? Those in
-- which other instrumentations told in a time range of chains, models or searches that belong to no answer (a call
-- without a stage is told of elsewhere), and those that have an answer of their own beside one that was found.
WITH found AS (
    SELECT trace_id, answer_id = lower(hex(trace_id)) || '-' || lower(hex(span_id)) AS is_found
    FROM answers
    WHERE started_at >= $earliest::TIMESTAMP AND started_at <= $latest::TIMESTAMP
),

waiting AS (
    SELECT trace_id
    FROM spans
    WHERE started_at >= $earliest::TIMESTAMP AND started_at <= $latest::TIMESTAMP
        AND answer_span_id IS NULL AND kind IN ('CHAIN', 'AGENT', 'LLM', 'RETRIEVER', 'RERANKER')
        AND (kind <> 'LLM' OR stage IS NOT NULL)
        AND contains(attributes::VARCHAR, '"otel.scope.name"')
    UNION
    SELECT trace_id FROM found GROUP BY trace_id HAVING bool_or(is_found) AND NOT bool_and(is_found)
)

SELECT
    trace_id,
    any_value(service) AS service,
    count(*) AS spans,
    sum(500 + coalesce(strlen(attributes::VARCHAR), 0))::BIGINT AS bytes,
    min(started_at) AS earliest,
    max(started_at) AS latest
FROM spans
WHERE started_at >= $start::TIMESTAMP AND started_at < $end::TIMESTAMP AND trace_id IN (SELECT trace_id FROM waiting)
GROUP BY trace_id
ORDER BY min(started_at), trace_id;
