-- Which spans do some traces have in a time range, probes left out?
SELECT
    trace_id, span_id, parent_span_id, answer_span_id, started_at, duration_ms, service, service_version, instance_id,
    status, kind, stage, input_tokens, output_tokens, cached_tokens, cost_usd, time_to_first_token_ms,
    model, query_text, output_documents, attributes
FROM spans
WHERE started_at >= $start::TIMESTAMP AND started_at < $end::TIMESTAMP AND trace_id IN (SELECT unnest($trace_ids))
    AND probe_id IS NULL;
