-- Hours that are over, added up, so that long windows read sums. Derived from spans and answers; what came late for an hour
-- makes it stale until it has been added up again.

-- state: 'summed', 'stale', or 'final' once spans of the hour were removed for their age, 'added_to' when more came then.
-- An hour without a row, before the last that has one, holds nothing. failures: how often in a row adding it up failed, at last with this error.
CREATE TABLE summed_hours (
    hour TIMESTAMP PRIMARY KEY,
    state VARCHAR NOT NULL,
    failures INTEGER NOT NULL DEFAULT 0,
    error VARCHAR
);

-- What each answer took and cost, as a whole (stage '') and stage by stage. started_at, intent and answer_cost_usd are
-- the answer's.
CREATE TABLE answer_stages (
    started_at TIMESTAMP NOT NULL,
    stage VARCHAR NOT NULL,
    duration_ms DOUBLE,
    cost_usd DOUBLE,
    answer_cost_usd DOUBLE,
    intent VARCHAR,
    trace_id BLOB NOT NULL,
    answer_span_id BLOB NOT NULL
);

-- How many latencies of an hour lie in each bucket; series '' is the answer, others are stages. bucket NULL: not known.
CREATE TABLE latency_buckets (
    hour TIMESTAMP NOT NULL,
    series VARCHAR NOT NULL,
    bucket INTEGER,
    n BIGINT NOT NULL
);

-- Which process sent how many spans that started in an hour.
CREATE TABLE arrivals (
    hour TIMESTAMP NOT NULL,
    service VARCHAR NOT NULL,
    instance_id VARCHAR,
    spans BIGINT NOT NULL,
    first_span_at TIMESTAMP NOT NULL,
    last_span_at TIMESTAMP NOT NULL
);

-- How much the answers and searches of a service that started in an hour tell about themselves.
CREATE TABLE told_hours (
    hour TIMESTAMP NOT NULL,
    service VARCHAR NOT NULL,
    answers BIGINT NOT NULL,
    answers_without_question BIGINT NOT NULL,
    answers_without_text BIGINT NOT NULL,
    spans BIGINT NOT NULL,
    spans_with_dropped_attributes BIGINT NOT NULL,
    retrievals BIGINT NOT NULL,
    retrievals_without_documents BIGINT NOT NULL,
    documents_without_id BIGINT NOT NULL,
    filters_known BIGINT NOT NULL,
    filters_none BIGINT NOT NULL,
    filters_partial BIGINT NOT NULL
);

-- Which libraries other than Ragvigil made the spans of a service that started in an hour.
CREATE TABLE told_libraries (
    hour TIMESTAMP NOT NULL,
    service VARCHAR NOT NULL,
    library VARCHAR NOT NULL,
    version VARCHAR,
    spans BIGINT NOT NULL
);

-- Of how much an hour of a rate was counted: it is counted again when there is more.
CREATE TABLE rate_hours (
    signal VARCHAR NOT NULL,
    hour TIMESTAMP NOT NULL,
    answers BIGINT NOT NULL,
    feedback BIGINT NOT NULL,
    PRIMARY KEY (signal, hour)
);

-- The counts of rate_counts for each slice that answers belong to.
CREATE TABLE rate_slices (
    signal VARCHAR NOT NULL,
    series VARCHAR NOT NULL,
    hour TIMESTAMP NOT NULL,
    name VARCHAR NOT NULL,
    slice VARCHAR NOT NULL,
    events BIGINT NOT NULL,
    totals BIGINT NOT NULL
);

-- (γ^(bucket - 1), γ^bucket] with γ = 1.01 / 0.99: its middle 2γ^bucket / (γ + 1) is within 1 % of all that it holds.
-- Below 10^-6 lies one bucket. Source: Masson, Rim & Lee, DDSketch, PVLDB 12 (2019).
CREATE MACRO log_bucket(x) AS CASE
    WHEN x IS NULL OR NOT isfinite(x) THEN NULL
    WHEN x <= 1e-6 THEN -1000
    ELSE ceil(ln(x) / ln(1.01 / 0.99))::INTEGER
END;

-- A stage belongs to its answer if it starts less than an hour before or after it.
CREATE MACRO observed_answer_stages(window_start, window_end) AS TABLE
WITH given AS (
    SELECT trace_id, span_id, started_at, duration_ms, intent
    FROM answers
    WHERE started_at >= window_start AND started_at < window_end
),
worked AS MATERIALIZED (
    SELECT spans.trace_id, spans.answer_span_id, stage, spans.duration_ms, cost_usd
    FROM spans
    INNER JOIN given ON given.trace_id = spans.trace_id AND given.span_id = spans.answer_span_id
    WHERE spans.started_at >= window_start - INTERVAL 1 HOUR AND spans.started_at < window_end + INTERVAL 1 HOUR
        AND stage <> '' AND probe_id IS NULL
        AND spans.started_at > given.started_at - INTERVAL 1 HOUR
        AND spans.started_at < given.started_at + INTERVAL 1 HOUR
),
costs AS (
    SELECT trace_id, answer_span_id, fsum(cost_usd) AS cost_usd
    FROM worked
    WHERE cost_usd IS NOT NULL
    GROUP BY trace_id, answer_span_id
),
whole AS MATERIALIZED (
    SELECT given.*, costs.cost_usd
    FROM given
    LEFT JOIN costs ON costs.trace_id = given.trace_id AND costs.answer_span_id = given.span_id
),
by_stage AS (
    SELECT trace_id, answer_span_id, stage, sum(duration_ms) AS duration_ms, sum(cost_usd) AS cost_usd
    FROM worked
    GROUP BY trace_id, answer_span_id, stage
)
SELECT
    started_at, '' AS stage, duration_ms, cost_usd, cost_usd AS answer_cost_usd, intent, trace_id,
    span_id AS answer_span_id
FROM whole
UNION ALL
SELECT
    whole.started_at, by_stage.stage, by_stage.duration_ms, by_stage.cost_usd, whole.cost_usd, whole.intent,
    whole.trace_id, whole.span_id
FROM by_stage
INNER JOIN whole ON whole.trace_id = by_stage.trace_id AND whole.span_id = by_stage.answer_span_id;

CREATE OR REPLACE MACRO observed_answer_cost(window_start, window_end) AS TABLE
WITH given AS (
    SELECT trace_id, span_id, started_at FROM answers WHERE started_at >= window_start AND started_at < window_end
),
known AS (
    SELECT spans.trace_id, spans.answer_span_id, fsum(cost_usd) AS value
    FROM spans
    INNER JOIN given ON given.trace_id = spans.trace_id AND given.span_id = spans.answer_span_id
    WHERE spans.started_at >= window_start - INTERVAL 1 HOUR AND spans.started_at < window_end + INTERVAL 1 HOUR
        AND stage <> '' AND probe_id IS NULL AND cost_usd IS NOT NULL
        AND spans.started_at > given.started_at - INTERVAL 1 HOUR
        AND spans.started_at < given.started_at + INTERVAL 1 HOUR
    GROUP BY spans.trace_id, spans.answer_span_id
)
SELECT given.trace_id, given.span_id AS answer_span_id, given.started_at, known.value
FROM given
LEFT JOIN known ON known.trace_id = given.trace_id AND known.answer_span_id = given.span_id;

CREATE MACRO observed_latency_buckets(window_start, window_end) AS TABLE
SELECT '' AS series, log_bucket(value) AS bucket, count(*) AS n
FROM observed_answer_latency(window_start, window_end)
GROUP BY ALL
UNION ALL
SELECT stage, log_bucket(value), count(*)
FROM observed_stage_latency(window_start, window_end)
WHERE stage NOT IN ('', 'answer')
GROUP BY ALL;

CREATE MACRO observed_arrivals(window_start, window_end) AS TABLE
SELECT
    service, instance_id, count(*) AS spans, min(started_at) AS first_span_at, max(started_at) AS last_span_at
FROM spans
WHERE started_at >= window_start AND started_at < window_end
GROUP BY service, instance_id;

-- What is added up may come from a sender: a number of documents that no search returns counts as none.
CREATE MACRO observed_telling(window_start, window_end) AS TABLE
WITH given AS (
    SELECT
        service,
        count(*) AS answers,
        count(*) FILTER (question IS NULL) AS answers_without_question,
        count(*) FILTER (answer IS NULL) AS answers_without_text
    FROM answers
    WHERE started_at >= window_start AND started_at < window_end
    GROUP BY service
),
recorded AS (
    SELECT
        service,
        count(*) AS spans,
        count(*) FILTER (dropped_attributes > 0) AS spans_with_dropped_attributes,
        count(*) FILTER (stage = 'retrieve') AS retrievals,
        count(*) FILTER (stage = 'retrieve' AND output_documents IS NULL) AS retrievals_without_documents,
        coalesce(
            sum(documents_without_id) FILTER (stage = 'retrieve' AND documents_without_id BETWEEN 1 AND 1000000), 0
        )::BIGINT AS documents_without_id,
        count(*) FILTER (stage = 'retrieve' AND filter_state = 'known') AS filters_known,
        count(*) FILTER (stage = 'retrieve' AND filter_state = 'none') AS filters_none,
        count(*) FILTER (stage = 'retrieve' AND filter_state = 'partial') AS filters_partial
    FROM (
        SELECT
            service, stage, dropped_attributes, output_documents, filter_state,
            try_cast(attributes ->> '$."otel.documents_without_id"' AS BIGINT) AS documents_without_id
        FROM spans
        WHERE started_at >= window_start AND started_at < window_end AND probe_id IS NULL
    )
    GROUP BY service
)
SELECT
    recorded.service,
    coalesce(answers, 0) AS answers,
    coalesce(answers_without_question, 0) AS answers_without_question,
    coalesce(answers_without_text, 0) AS answers_without_text,
    recorded.* EXCLUDE (service)
FROM recorded
LEFT JOIN given ON given.service = recorded.service;

CREATE MACRO observed_libraries(window_start, window_end) AS TABLE
SELECT
    service,
    attributes ->> '$."otel.scope.name"' AS library,
    attributes ->> '$."otel.scope.version"' AS version,
    count(*) AS spans
FROM spans
WHERE started_at >= window_start AND started_at < window_end AND contains(attributes::VARCHAR, '"otel.scope.name"')
GROUP BY ALL
HAVING library IS NOT NULL;

-- At most so many vectors that an encoder made in a window, chosen and ordered by the digest of their ids; only the vectors
-- that are chosen are read.
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
        ON answers.trace_id = chosen.trace_id AND answers.span_id = chosen.answer_span_id
    WHERE answers.started_at >= window_start - INTERVAL 1 HOUR AND answers.started_at < window_end + INTERVAL 1 HOUR
)
SELECT chosen.started_at, chosen.trace_id, asked.intent, vectors.unit_f16
FROM chosen
INNER JOIN query_vectors AS vectors ON vectors.rowid = chosen.place
LEFT JOIN asked ON asked.place = chosen.place
WHERE vectors.started_at >= window_start AND vectors.started_at < window_end
ORDER BY chosen.digest;

-- What an earlier version stored is added up in the background.
INSERT INTO summed_hours (hour, state)
SELECT DISTINCT date_trunc('hour', started_at), 'stale'
FROM (SELECT started_at FROM spans UNION ALL SELECT started_at FROM answers)
WHERE started_at < now()::TIMESTAMP - INTERVAL 3 HOUR;
