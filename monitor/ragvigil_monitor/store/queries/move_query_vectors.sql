-- Which answers were vectors searched for, of a batch of answers that are none after all? Those that they belong to.
UPDATE query_vectors
SET answer_span_id = batch.new_span_id
FROM batch
WHERE query_vectors.trace_id = batch.trace_id AND query_vectors.answer_span_id = batch.span_id
    AND query_vectors.started_at >= $start::TIMESTAMP;
