-- What of the reviewed answers a judge has still to judge, and what judges said of those that people labelled. Both follow
-- what is added, so that nobody looks through all that was ever judged.

-- Which items are new is known by their number: an answer may be drawn long after it started.
CREATE SEQUENCE review_item_number;
ALTER TABLE review_items ADD COLUMN number BIGINT DEFAULT nextval('review_item_number');

-- The judge in use: every item up to this number was judged by it or waits in reviews_to_judge.
CREATE TABLE judge_queues (
    judge VARCHAR NOT NULL,
    judge_version VARCHAR NOT NULL,
    queued_up_to BIGINT NOT NULL
);

CREATE TABLE reviews_to_judge (
    judge VARCHAR NOT NULL,
    judge_version VARCHAR NOT NULL,
    trace_id BLOB NOT NULL,
    span_id BLOB NOT NULL,
    started_at TIMESTAMP NOT NULL
);

-- The rows of judge_scores whose answers people labelled.
CREATE TABLE label_scores (
    item_id VARCHAR NOT NULL,
    judge VARCHAR NOT NULL,
    judge_version VARCHAR NOT NULL,
    score DOUBLE,
    in_sample BOOLEAN NOT NULL,
    judged_at TIMESTAMP NOT NULL
);

-- From review items and scores of answers that started in a time range, both ends included.
CREATE MACRO scores_of_labelled(start_at, end_at) AS TABLE
SELECT items.item_id, scores.judge, scores.judge_version, scores.score, scores.in_sample, scores.judged_at
FROM review_items AS items
INNER JOIN judge_scores AS scores
    ON scores.trace_id = items.trace_id AND scores.answer_span_id = items.span_id
WHERE items.kind = 'answer'
    AND items.started_at >= start_at AND items.started_at <= end_at
    AND scores.started_at >= start_at AND scores.started_at <= end_at
    AND items.item_id IN (SELECT item_id FROM review_labels);

INSERT INTO label_scores
SELECT * FROM scores_of_labelled('-infinity'::TIMESTAMP, 'infinity'::TIMESTAMP);

-- At most so many vectors that an encoder made in a window, chosen and ordered by the digest of their ids; only the vectors
-- that are chosen are read. Answers are looked for by their traces: with the ids of spans as a second key those of all
-- answers would be read too.
CREATE OR REPLACE MACRO sampled_query_vectors(encoder_model, encoder_dimension, window_start, window_end, most) AS TABLE
WITH chosen AS MATERIALIZED (
    SELECT rowid AS place, trace_id, answer_span_id, started_at, md5(trace_id || span_id) AS digest
    FROM query_vectors
    WHERE started_at >= window_start AND started_at < window_end
        AND coalesce(model, '') = encoder_model AND dimension = encoder_dimension
    ORDER BY digest
    LIMIT (most)
),
asked AS MATERIALIZED (
    SELECT chosen.place, answers.intent
    FROM chosen
    INNER JOIN answers
        ON answers.trace_id = chosen.trace_id
        AND CASE WHEN answers.span_id = chosen.answer_span_id THEN true ELSE false END
    WHERE answers.started_at >= window_start - INTERVAL 1 HOUR AND answers.started_at < window_end + INTERVAL 1 HOUR
)
SELECT chosen.started_at, chosen.trace_id, asked.intent, vectors.unit_f16
FROM chosen
INNER JOIN query_vectors AS vectors ON vectors.rowid = chosen.place
LEFT JOIN asked ON asked.place = chosen.place
WHERE vectors.started_at >= window_start AND vectors.started_at < window_end
ORDER BY chosen.digest;
