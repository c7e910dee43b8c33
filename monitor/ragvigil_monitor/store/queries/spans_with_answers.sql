-- Which spans began in a time range, with the answer that a span is and the query vector that came with it?
SELECT
    lower(hex(spans.trace_id)) AS trace_id,
    lower(hex(spans.span_id)) AS span_id,
    lower(hex(spans.parent_span_id)) AS parent_span_id,
    lower(hex(spans.answer_span_id)) AS answer_span_id,
    epoch_us(spans.started_at) AS started_us,
    spans.* EXCLUDE (trace_id, span_id, parent_span_id, answer_span_id, started_at),
    answers.* EXCLUDE (trace_id, span_id, started_at, duration_ms, service, service_version, status),
    query_vectors.norm,
    query_vectors.unit_f16
FROM spans
LEFT JOIN (FROM answers WHERE started_at >= $start::TIMESTAMP AND started_at < $end::TIMESTAMP) AS answers
    ON answers.trace_id = spans.trace_id AND answers.span_id = spans.span_id
LEFT JOIN (FROM query_vectors WHERE started_at >= $start::TIMESTAMP AND started_at < $end::TIMESTAMP) AS query_vectors
    ON query_vectors.trace_id = spans.trace_id AND query_vectors.span_id = spans.span_id
WHERE spans.started_at >= $start::TIMESTAMP AND spans.started_at < $end::TIMESTAMP;
