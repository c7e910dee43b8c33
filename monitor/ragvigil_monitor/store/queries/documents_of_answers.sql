-- What did the stages of some answers do to documents, in order of time?
SELECT trace_id, answer_span_id, stage, input_documents, output_documents, attributes
FROM spans
WHERE started_at >= $start AND started_at < $end
    AND trace_id IN (SELECT unnest($trace_ids)) AND answer_span_id IS NOT NULL AND span_id <> answer_span_id
    AND probe_id IS NULL
QUALIFY row_number() OVER (PARTITION BY trace_id, answer_span_id ORDER BY started_at, duration_ms DESC) <= $limit
ORDER BY trace_id, answer_span_id, started_at, duration_ms DESC;
