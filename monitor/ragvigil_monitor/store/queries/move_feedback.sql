-- Which answers is feedback about, of a batch of answers that are none after all? About the ones that they belong to.
UPDATE feedback
SET
    answer_span_id = batch.new_span_id,
    answer_started_at = batch.new_started_at,
    given_at = feedback_time(batch.new_started_at, feedback.occurred_at, feedback.observed_at)
FROM batch
WHERE feedback.trace_id = batch.trace_id AND feedback.answer_span_id = batch.span_id
    AND feedback.given_at >= $start::TIMESTAMP;
