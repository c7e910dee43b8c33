-- What a judge said of the answers that people labelled, one row for each answer and version of a judge, beside what the
-- first of them said: how far both agree is counted without looking anything up.
CREATE TABLE judged_labels (
    item_id VARCHAR NOT NULL,
    judge VARCHAR NOT NULL,
    judge_version VARCHAR NOT NULL,
    label VARCHAR NOT NULL,
    labelled_at TIMESTAMP NOT NULL,
    score DOUBLE,
    in_sample BOOLEAN NOT NULL,
    judged_at TIMESTAMP NOT NULL,
    PRIMARY KEY (item_id, judge, judge_version)
);

INSERT INTO judged_labels
WITH first_labels AS (
    SELECT item_id, arg_min(label, (labelled_at, label_id)) AS label, min(labelled_at) AS labelled_at
    FROM review_labels
    GROUP BY item_id
)
SELECT item_id, judge, judge_version, label, labelled_at, score, in_sample, judged_at
FROM label_scores
INNER JOIN first_labels USING (item_id)
QUALIFY row_number() OVER (PARTITION BY item_id, judge, judge_version ORDER BY in_sample DESC, judged_at DESC) = 1;

DROP MACRO TABLE scores_of_labelled;
DROP TABLE label_scores;

-- The labelled answers that started in a time range, both ends included, and what the first label of each says.
CREATE MACRO labelled_answers(start_at, end_at) AS TABLE
SELECT
    items.item_id, items.trace_id, items.span_id, arg_min(labels.label, (labels.labelled_at, labels.label_id)) AS label,
    min(labels.labelled_at) AS labelled_at
FROM review_items AS items
INNER JOIN review_labels AS labels ON labels.item_id = items.item_id
WHERE items.kind = 'answer' AND items.started_at >= start_at AND items.started_at <= end_at
GROUP BY items.item_id, items.trace_id, items.span_id;
