-- Which scores of a batch are of labelled answers, all of which started from $start to $end, both included? Of several by
-- one judge that counts by which it was sampled, and then the newest.
INSERT INTO judged_labels AS known
WITH judged AS MATERIALIZED (
    SELECT items.item_id, batch.judge, batch.judge_version, batch.score, batch.in_sample, batch.judged_at
    FROM batch
    INNER JOIN review_items AS items
        ON items.trace_id = batch.trace_id AND items.span_id = batch.answer_span_id
    WHERE items.kind = 'answer' AND items.started_at >= $start AND items.started_at <= $end
    QUALIFY row_number() OVER (
        PARTITION BY items.item_id, batch.judge, batch.judge_version
        ORDER BY batch.in_sample DESC, batch.judged_at DESC
    ) = 1
),
first_labels AS (
    SELECT item_id, arg_min(label, (labelled_at, label_id)) AS label, min(labelled_at) AS labelled_at
    FROM review_labels
    WHERE item_id IN (SELECT item_id FROM judged)
    GROUP BY item_id
)
SELECT item_id, judge, judge_version, label, labelled_at, score, in_sample, judged_at
FROM judged
INNER JOIN first_labels USING (item_id)
ON CONFLICT DO UPDATE SET
    score = excluded.score, in_sample = excluded.in_sample, judged_at = excluded.judged_at
WHERE (excluded.in_sample, excluded.judged_at) >= (known.in_sample, known.judged_at);
