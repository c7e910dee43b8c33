-- How query vectors are distributed. An encoder is a model ('' where none was named) with a dimension; encoders are
-- never mixed. Vectors are little-endian BLOBs.

-- The vectors of an hour, added up: vector_sum in float64. unusable: vectors that cannot be read or are not finite.
CREATE TABLE drift_hours (
    hour TIMESTAMP NOT NULL,
    model VARCHAR NOT NULL,
    dimension INTEGER NOT NULL,
    n BIGINT NOT NULL,
    unusable BIGINT NOT NULL,
    vector_sum BLOB NOT NULL,
    square_sum DOUBLE NOT NULL,
    PRIMARY KEY (hour, model, dimension)
);

-- The outer products of a day's vectors, added up: the lower triangle row by row in float32.
CREATE TABLE drift_days (
    day TIMESTAMP NOT NULL,
    model VARCHAR NOT NULL,
    dimension INTEGER NOT NULL,
    n BIGINT NOT NULL,
    vector_sum BLOB NOT NULL,
    second_moment BLOB NOT NULL,
    PRIMARY KEY (day, model, dimension)
);

-- What later windows are compared with; a row never changes. mean, cells (48 × dimension) and variances in float64,
-- axes (dimension × dimension) in float32. The daily maxima of mix and novelty in the replayed days follow Gumbel
-- distributions with these locations and scales.
CREATE TABLE drift_references (
    model VARCHAR NOT NULL,
    dimension INTEGER NOT NULL,
    version INTEGER NOT NULL,
    fitted_at TIMESTAMP NOT NULL,
    n BIGINT NOT NULL,
    mean BLOB NOT NULL,
    cells BLOB NOT NULL,
    axes BLOB NOT NULL,
    variances BLOB NOT NULL,
    mix_location DOUBLE NOT NULL,
    mix_scale DOUBLE NOT NULL,
    novelty_location DOUBLE NOT NULL,
    novelty_scale DOUBLE NOT NULL,
    replayed_days INTEGER NOT NULL,
    PRIMARY KEY (model, dimension, version)
);

-- Some vectors of a reference, for tests that need single ones.
CREATE TABLE drift_samples (
    model VARCHAR NOT NULL,
    dimension INTEGER NOT NULL,
    version INTEGER NOT NULL,
    started_at TIMESTAMP NOT NULL,
    trace_id BLOB NOT NULL,
    intent VARCHAR,
    unit_f16 BLOB NOT NULL
);

-- The permutation test of a window of m vectors against n vectors of its reference. version: NULL before there was a
-- reference. approximate_p: only where no permutation reached mmd2. deduplicated_p: only where copies were many.
CREATE TABLE drift_evidence (
    window_end TIMESTAMP NOT NULL,
    window_s INTEGER NOT NULL,
    model VARCHAR NOT NULL,
    dimension INTEGER NOT NULL,
    version INTEGER,
    n INTEGER NOT NULL,
    m INTEGER NOT NULL,
    mmd2 DOUBLE NOT NULL,
    p DOUBLE NOT NULL,
    approximate_p DOUBLE,
    permutations INTEGER NOT NULL,
    gamma DOUBLE NOT NULL,
    auc DOUBLE NOT NULL,
    auc_p DOUBLE NOT NULL,
    duplicate_share DOUBLE NOT NULL,
    deduplicated_p DOUBLE,
    slices JSON NOT NULL,
    trace_ids VARCHAR[] NOT NULL,
    PRIMARY KEY (window_end, window_s, model, dimension)
);

-- At most so many vectors that an encoder made in a window, chosen and ordered by the digest of their ids.
CREATE MACRO sampled_query_vectors(encoder_model, encoder_dimension, window_start, window_end, most) AS TABLE
WITH chosen AS (
    SELECT trace_id, answer_span_id, started_at, unit_f16, md5(trace_id || span_id) AS digest
    FROM query_vectors
    WHERE started_at >= window_start AND started_at < window_end
        AND coalesce(model, '') = encoder_model AND dimension = encoder_dimension
    ORDER BY digest
    LIMIT (most)
)
SELECT chosen.started_at, chosen.trace_id, answers.intent, chosen.unit_f16
FROM chosen
LEFT JOIN answers
    ON answers.trace_id = chosen.trace_id AND answers.span_id = chosen.answer_span_id
    AND answers.started_at >= window_start - INTERVAL 1 HOUR AND answers.started_at < window_end + INTERVAL 1 HOUR
ORDER BY chosen.digest;
