-- Which scores of a batch are of labelled answers, all of which started from $start to $end, both included? Of several by
-- one judge that counts by which it was sampled, and then the newest.
INSERT INTO judged_labels AS known
SELECT
    labelled.item_id, batch.judge, batch.judge_version, labelled.label, labelled.labelled_at, batch.score,
    batch.in_sample, batch.judged_at
FROM labelled_answers($start::TIMESTAMP, $end::TIMESTAMP) AS labelled
INNER JOIN batch ON batch.trace_id = labelled.trace_id AND batch.answer_span_id = labelled.span_id
QUALIFY row_number() OVER (
    PARTITION BY labelled.item_id, batch.judge, batch.judge_version ORDER BY batch.in_sample DESC, batch.judged_at DESC
) = 1
ON CONFLICT DO UPDATE SET
    score = excluded.score, in_sample = excluded.in_sample, judged_at = excluded.judged_at
WHERE (excluded.in_sample, excluded.judged_at) >= (known.in_sample, known.judged_at);
