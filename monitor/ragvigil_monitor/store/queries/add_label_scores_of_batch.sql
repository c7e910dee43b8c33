-- Which scores of a batch are of labelled answers, all of which started from $start to $end, both included?
INSERT INTO label_scores
SELECT items.item_id, batch.judge, batch.judge_version, batch.score, batch.in_sample, batch.judged_at
FROM batch
INNER JOIN review_items AS items
    ON items.trace_id = batch.trace_id AND items.span_id = batch.answer_span_id
WHERE items.kind = 'answer' AND items.started_at >= $start AND items.started_at <= $end
    AND items.item_id IN (SELECT item_id FROM review_labels);
