-- What do spans amount to, of which others tell the same? Replaces some of their columns, in a time range.
UPDATE spans
SET
    answer_span_id = batch.answer_span_id,
    stage = batch.stage,
    input_tokens = batch.input_tokens,
    output_tokens = batch.output_tokens,
    cached_tokens = batch.cached_tokens,
    cost_usd = batch.cost_usd,
    query_text = batch.query_text,
    attributes = batch.attributes
FROM batch
WHERE spans.trace_id = batch.trace_id AND spans.span_id = batch.span_id
    AND spans.started_at >= $start::TIMESTAMP AND spans.started_at < $end::TIMESTAMP;
