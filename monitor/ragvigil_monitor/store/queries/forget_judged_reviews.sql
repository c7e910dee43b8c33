-- Which answers of a batch of scores need no longer wait for their judge?
DELETE FROM reviews_to_judge AS waiting
USING batch
WHERE waiting.trace_id = batch.trace_id AND waiting.span_id = batch.answer_span_id
    AND waiting.judge = batch.judge AND waiting.judge_version = batch.judge_version;
