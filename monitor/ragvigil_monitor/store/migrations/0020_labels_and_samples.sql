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

-- Some query vectors of each day, with the intents of their answers: those with the smallest digests of their ids. Of several
-- days together those with the smallest digests are among them, so that nobody looks through the vectors of weeks.
CREATE TABLE drift_day_samples (
    day TIMESTAMP NOT NULL,
    model VARCHAR NOT NULL,
    dimension INTEGER NOT NULL,
    digest VARCHAR NOT NULL,
    started_at TIMESTAMP NOT NULL,
    trace_id BLOB NOT NULL,
    intent VARCHAR,
    unit_f16 BLOB NOT NULL
);

-- At most so many are kept of a day. Where it grows, older days must not be taken for whole.
CREATE MACRO most_of_day() AS 2000;

-- As before, with the digests.
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
SELECT chosen.started_at, chosen.trace_id, asked.intent, vectors.unit_f16, chosen.digest
FROM chosen
INNER JOIN query_vectors AS vectors ON vectors.rowid = chosen.place
LEFT JOIN asked ON asked.place = chosen.place
WHERE vectors.started_at >= window_start AND vectors.started_at < window_end
ORDER BY chosen.digest;

-- The same of the days that are over before window_end, from what is kept of each. A digest above the largest one that is
-- kept of a part of a day says nothing of the rest of that day: there may be fewer than `most` then, chosen by chance alone.
CREATE MACRO sampled_days(encoder_model, encoder_dimension, window_start, window_end, most) AS TABLE
WITH held AS MATERIALIZED (
    SELECT rowid AS place, day, started_at, digest
    FROM drift_day_samples
    WHERE day > window_start - INTERVAL 1 DAY AND day <= window_end - INTERVAL 1 DAY
        AND model = encoder_model AND dimension = encoder_dimension
),
parts AS (
    SELECT max(digest) AS reached FROM held GROUP BY day HAVING count(*) >= most_of_day()
),
chosen AS MATERIALIZED (
    SELECT place
    FROM held
    WHERE started_at >= window_start
        AND digest <= coalesce((SELECT min(reached) FROM parts), 'no digest is as large')
    ORDER BY digest
    LIMIT (most)
)
SELECT samples.started_at, samples.trace_id, samples.intent, samples.unit_f16
FROM chosen
INNER JOIN drift_day_samples AS samples ON samples.rowid = chosen.place
ORDER BY samples.digest;

-- Of the days that a reference may be learnt from.
INSERT INTO drift_day_samples
WITH days AS (
    SELECT DISTINCT date_trunc('day', hour) AS day, model, dimension
    FROM drift_hours
    WHERE hour >= (SELECT max(hour) - INTERVAL 84 DAY FROM drift_hours)
),
drawn AS MATERIALIZED (
    SELECT
        vectors.rowid AS place, days.day, days.model, days.dimension, vectors.trace_id, vectors.answer_span_id,
        md5(vectors.trace_id || vectors.span_id) AS digest
    FROM query_vectors AS vectors
    INNER JOIN days
        ON days.day = date_trunc('day', vectors.started_at) AND days.model = coalesce(vectors.model, '')
        AND days.dimension = vectors.dimension
    QUALIFY row_number() OVER (PARTITION BY days.day, days.model, days.dimension ORDER BY digest) <= most_of_day()
),
asked AS MATERIALIZED (
    SELECT drawn.place, any_value(answers.intent) AS intent
    FROM drawn
    INNER JOIN answers ON answers.trace_id = drawn.trace_id AND answers.span_id = drawn.answer_span_id
    WHERE answers.started_at >= drawn.day - INTERVAL 1 HOUR AND answers.started_at < drawn.day + INTERVAL 25 HOUR
    GROUP BY drawn.place
)
SELECT
    drawn.day, drawn.model, drawn.dimension, drawn.digest, vectors.started_at, vectors.trace_id, asked.intent,
    vectors.unit_f16
FROM drawn
INNER JOIN query_vectors AS vectors ON vectors.rowid = drawn.place
LEFT JOIN asked ON asked.place = drawn.place
ORDER BY drawn.day, drawn.digest;
