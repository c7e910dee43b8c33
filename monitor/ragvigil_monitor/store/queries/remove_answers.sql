-- Which answers are none after all? Removes a batch of them from a time range.
DELETE FROM answers
USING batch
WHERE answers.trace_id = batch.trace_id AND answers.span_id = batch.span_id
    AND answers.started_at >= $start::TIMESTAMP AND answers.started_at < $end::TIMESTAMP;
