-- What went to an Arize Phoenix beside Ragvigil.

-- Spans picked for it, cumulative, one row for each run of the service. What waited when a run was last counted, and the
-- run is over, was lost with its process.
CREATE TABLE phoenix_runs (
    started_at TIMESTAMP PRIMARY KEY,
    counted_at TIMESTAMP NOT NULL,
    forwarded BIGINT NOT NULL,
    waiting BIGINT NOT NULL,
    dropped BIGINT NOT NULL,
    refused BIGINT NOT NULL
);

-- What people said of answers, on its way to Phoenix as annotations. source: 'review' (identifier is the id of a label) or
-- 'feedback' (the id of the feedback). state: 'delivered', 'not_forwarded' (its trace is outside the share), 'pending'
-- (Phoenix does not take it yet: it may not have stored the span), 'unreached' (Phoenix gave no answer), 'given_up'.
-- What has no row has not been tried. refusals: the attempts to which Phoenix gave an answer.
CREATE TABLE phoenix_annotations (
    source VARCHAR NOT NULL,
    identifier VARCHAR NOT NULL,
    state VARCHAR NOT NULL,
    attempts INTEGER NOT NULL,
    refusals INTEGER NOT NULL,
    first_tried_at TIMESTAMP NOT NULL,
    next_attempt_at TIMESTAMP,
    last_error VARCHAR,
    PRIMARY KEY (source, identifier)
);

-- The first label of each answer that was reviewed, and thumbs whose answer is known. Nobody's name is in it.
CREATE VIEW said_of_answers AS
WITH first_labels AS (
    SELECT
        item_id,
        arg_min(label_id, (labelled_at, label_id)) AS label_id,
        arg_min(label, (labelled_at, label_id)) AS label,
        min(labelled_at) AS said_at
    FROM review_labels
    GROUP BY item_id
)
SELECT 'review' AS source, label_id AS identifier, label, said_at, items.trace_id, items.span_id
FROM first_labels
INNER JOIN review_items AS items ON items.item_id = first_labels.item_id
WHERE items.kind = 'answer'
UNION ALL
SELECT 'feedback', feedback_id, kind, given_at, trace_id, answer_span_id
FROM feedback
WHERE kind IN ('thumbs_up', 'thumbs_down') AND answer_started_at IS NOT NULL;
