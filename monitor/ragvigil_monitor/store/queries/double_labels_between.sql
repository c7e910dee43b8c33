-- What did the first and the second reviewer say of each answer of a time range that two of them labelled?
WITH said_first AS (
    SELECT
        labels.item_id, labels.reviewer,
        min((labels.labelled_at, labels.label_id)) AS place,
        arg_min(labels.label, (labels.labelled_at, labels.label_id)) AS label
    FROM review_labels AS labels
    INNER JOIN review_items AS items ON items.item_id = labels.item_id
    WHERE items.kind = 'answer' AND items.started_at >= $start AND items.started_at < $end
    GROUP BY labels.item_id, labels.reviewer
),
ordered AS (
    SELECT item_id, list(label ORDER BY place) AS said FROM said_first GROUP BY item_id
)
SELECT said[1] AS first_label, said[2] AS second_label FROM ordered WHERE len(said) >= 2;
