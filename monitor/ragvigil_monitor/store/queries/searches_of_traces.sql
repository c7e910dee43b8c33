-- What did the stages and probes of some traces do to documents, in a time range?
SELECT
    trace_id, span_id, answer_span_id, started_at, stage, top_k, probe_id IS NOT NULL AS is_probe, output_documents,
    attributes ->> '$."ragvigil.index.version"' AS index_version,
    attributes ->> '$."ragvigil.probe.passes"' AS passes,
    attributes -> '$."ragvigil.context.doc_ids"' AS context
FROM spans
WHERE list_contains($trace_ids, trace_id) AND started_at >= $start AND started_at < $end
ORDER BY started_at, duration_ms DESC;
