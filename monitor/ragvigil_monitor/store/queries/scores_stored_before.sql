-- Which of a batch of scores, of answers that started from $start to $end, both included, does the store have already?
-- One of the sample says what one for the reviewers would say, not the other way round.
SELECT DISTINCT batch.trace_id, batch.answer_span_id, batch.judge, batch.judge_version, batch.in_sample
FROM batch
INNER JOIN judge_scores AS scores
    ON scores.trace_id = batch.trace_id AND scores.answer_span_id = batch.answer_span_id
    AND scores.judge = batch.judge AND scores.judge_version = batch.judge_version
WHERE scores.started_at >= $start AND scores.started_at <= $end
    AND (scores.in_sample OR NOT batch.in_sample);
