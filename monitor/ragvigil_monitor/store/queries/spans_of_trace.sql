-- Which spans belong to a trace, inside a time range?
SELECT
    span_id, parent_span_id, answer_span_id, started_at, duration_ms, service, name, kind, stage, status,
    status_message, model, input_tokens, output_tokens, cost_usd, time_to_first_token_ms, query_text, top_k,
    filter_state, filter_ast, filter_clauses, input_documents, output_documents, dropped_attributes, attributes
FROM spans
WHERE trace_id = $trace_id AND started_at >= $start AND started_at < $end AND probe_id IS NULL
ORDER BY started_at, duration_ms DESC
LIMIT $limit;
