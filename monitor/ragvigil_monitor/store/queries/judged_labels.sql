-- What did a judge say of each answer that people had labelled by some time, and what did the first of them say?
WITH first_labels AS (
    SELECT item_id, arg_min(label, (labelled_at, label_id)) AS label
    FROM review_labels
    WHERE labelled_at < $known_before
    GROUP BY item_id
)
SELECT first_labels.label, scores.score
FROM first_labels
INNER JOIN label_scores AS scores ON scores.item_id = first_labels.item_id
WHERE scores.judge = $judge AND scores.judge_version = $judge_version
QUALIFY row_number() OVER (PARTITION BY scores.item_id ORDER BY scores.in_sample DESC, scores.judged_at DESC) = 1;
