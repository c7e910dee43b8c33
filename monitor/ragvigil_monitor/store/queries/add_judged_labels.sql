-- What did judges say of the labelled answers that started from $start to $end, both included?
INSERT INTO judged_labels AS known
SELECT
    labelled.item_id, scores.judge, scores.judge_version, labelled.label, labelled.labelled_at, scores.score,
    scores.in_sample, scores.judged_at
FROM labelled_answers($start::TIMESTAMP, $end::TIMESTAMP) AS labelled
INNER JOIN judge_scores AS scores
    ON scores.trace_id = labelled.trace_id AND scores.answer_span_id = labelled.span_id
WHERE scores.started_at >= $start AND scores.started_at <= $end
QUALIFY row_number() OVER (
    PARTITION BY labelled.item_id, scores.judge, scores.judge_version
    ORDER BY scores.in_sample DESC, scores.judged_at DESC
) = 1
ON CONFLICT DO UPDATE SET
    label = excluded.label, labelled_at = excluded.labelled_at, score = excluded.score, in_sample = excluded.in_sample,
    judged_at = excluded.judged_at;
