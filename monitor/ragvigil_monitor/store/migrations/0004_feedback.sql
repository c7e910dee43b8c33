-- What users did with answers, and rates that are judged against their own history.

-- Which events are new is known by their number: they may have happened long before they arrive.
CREATE SEQUENCE log_event_number;
ALTER TABLE log_events ADD COLUMN number BIGINT DEFAULT nextval('log_event_number');

-- Each feedback once, by its id, with the answer that it belongs to. No answer yet (answer_started_at NULL): parked.
-- given_at is when it was given: by the client's clock where that is possible, else by the clock of the call; never
-- before its answer. claimed_* is what the event says of its answer.
CREATE TABLE feedback (
    feedback_id VARCHAR NOT NULL,
    event_number BIGINT NOT NULL,
    service VARCHAR NOT NULL,
    kind VARCHAR NOT NULL,
    reason VARCHAR,
    value DOUBLE,
    occurred_at TIMESTAMP NOT NULL,
    observed_at TIMESTAMP NOT NULL,
    given_at TIMESTAMP NOT NULL,
    claimed_trace_id BLOB,
    claimed_span_id BLOB,
    claimed_answer_id VARCHAR,
    claimed_response_id VARCHAR,
    claimed_started_at TIMESTAMP,
    trace_id BLOB,
    answer_span_id BLOB,
    answer_started_at TIMESTAMP
);

-- The client's time where it is possible: not before the answer and not after the call. Else the time of the call.
CREATE MACRO feedback_time(answer_started_at, occurred_at, observed_at) AS
    greatest(
        answer_started_at,
        if(occurred_at BETWEEN answer_started_at AND observed_at, occurred_at, observed_at)
    );

-- The same question asked again? Case, accents, punctuation and spacing do not count.
CREATE MACRO normalised_question(question) AS
    nullif(trim(regexp_replace(lower(strip_accents(left(question, 1000))), '[^\p{L}\p{M}\p{N}]+', ' ', 'g')), '');

-- Near-identical: equal, or the same numbers and at most one edit for every 20 characters.
CREATE MACRO asks_again(one, other) AS
    one = other
    OR (
        abs(length(one) - length(other)) <= length(one) // 20
        AND regexp_extract_all(one, '\p{N}+') = regexp_extract_all(other, '\p{N}+')
        AND levenshtein(one, other) <= length(one) // 20
    );

-- Answers that the same user asked for again in the same session within 30 minutes: the next question is nearly the
-- same, or the same one comes again later. Linear in the answers, however long a session is.
CREATE MACRO asked_again(window_start, window_end) AS TABLE
WITH asked AS (
    SELECT trace_id, span_id, started_at, service, session_id, user_id, normalised_question(question) AS question
    FROM answers
    WHERE session_id IS NOT NULL AND question IS NOT NULL
        AND started_at >= window_start AND started_at < window_end + INTERVAL 30 MINUTE
),
followed AS (
    SELECT
        trace_id,
        span_id,
        started_at,
        question,
        lead(question) OVER in_session AS next_question,
        lead(started_at) OVER in_session AS next_at,
        lead(started_at) OVER same_question AS same_again_at
    FROM asked
    WINDOW
        in_session AS (PARTITION BY service, session_id, user_id ORDER BY started_at, span_id),
        same_question AS (PARTITION BY service, session_id, user_id, question ORDER BY started_at, span_id)
)
SELECT trace_id, span_id AS answer_span_id
FROM followed
WHERE started_at < window_end AND question IS NOT NULL
    AND (
        same_again_at <= started_at + INTERVAL 30 MINUTE
        OR (next_at <= started_at + INTERVAL 30 MINUTE AND asks_again(question, next_question))
    );

-- Regenerated within 30 minutes of its start, in whatever way it shows, counts once.
CREATE MACRO observed_regeneration(window_start, window_end) AS TABLE
WITH regenerated AS (
    SELECT trace_id, answer_span_id
    FROM feedback
    WHERE kind = 'regenerate' AND answer_started_at >= window_start AND answer_started_at < window_end
        AND given_at <= answer_started_at + INTERVAL 30 MINUTE
    UNION
    SELECT replaced.trace_id, replaced.span_id
    FROM answers AS replaced
    INNER JOIN answers AS replacing ON replacing.regeneration_of = replaced.answer_id
    WHERE replaced.started_at >= window_start AND replaced.started_at < window_end
        AND replacing.started_at >= window_start AND replacing.started_at < window_end + INTERVAL 30 MINUTE
        AND replacing.started_at BETWEEN replaced.started_at AND replaced.started_at + INTERVAL 30 MINUTE
    UNION
    SELECT trace_id, answer_span_id FROM asked_again(window_start, window_end)
)
SELECT
    answers.trace_id,
    answers.span_id AS answer_span_id,
    answers.started_at,
    answers.intent,
    (regenerated.answer_span_id IS NOT NULL)::DOUBLE AS value
FROM answers
LEFT JOIN regenerated ON regenerated.trace_id = answers.trace_id AND regenerated.answer_span_id = answers.span_id
WHERE answers.started_at >= window_start AND answers.started_at < window_end;

CREATE MACRO observed_thumbs_down(window_start, window_end) AS TABLE
WITH disliked AS (
    SELECT DISTINCT trace_id, answer_span_id
    FROM feedback
    WHERE kind = 'thumbs_down' AND answer_started_at >= window_start AND answer_started_at < window_end
        AND given_at <= answer_started_at + INTERVAL 24 HOUR
)
SELECT
    answers.trace_id,
    answers.span_id AS answer_span_id,
    answers.started_at,
    answers.intent,
    (disliked.answer_span_id IS NOT NULL)::DOUBLE AS value
FROM answers
LEFT JOIN disliked ON disliked.trace_id = answers.trace_id AND disliked.answer_span_id = answers.span_id
WHERE answers.started_at >= window_start AND answers.started_at < window_end;

-- NULL where the application does not say whether it refused.
CREATE MACRO observed_refusal(window_start, window_end) AS TABLE
SELECT trace_id, span_id AS answer_span_id, started_at, intent, refusal::DOUBLE AS value
FROM answers
WHERE started_at >= window_start AND started_at < window_end;

CREATE MACRO observed_rate(signal_name, window_start, window_end) AS TABLE
SELECT * FROM observed_regeneration(window_start, window_end) WHERE signal_name = 'regeneration_rate'
UNION ALL
SELECT * FROM observed_thumbs_down(window_start, window_end) WHERE signal_name = 'thumbs_down_rate'
UNION ALL
SELECT * FROM observed_refusal(window_start, window_end) WHERE signal_name = 'refusal_rate';

-- Counted once an hour has matured, so that every hour of a history was as old as the one that is judged. series is
-- 'all' or 'intent=' and the intent.
CREATE TABLE rate_counts (
    signal VARCHAR NOT NULL,
    series VARCHAR NOT NULL,
    hour TIMESTAMP NOT NULL,
    events BIGINT NOT NULL,
    totals BIGINT NOT NULL
);

-- What people decided about the history of a guardrail, against the default that alarms are no part of it. series NULL:
-- every series.
CREATE TABLE history_decisions (
    guardrail VARCHAR NOT NULL,
    series VARCHAR,
    starts_at TIMESTAMP NOT NULL,
    ends_at TIMESTAMP NOT NULL,
    counts BOOLEAN NOT NULL,
    reason VARCHAR NOT NULL,
    author VARCHAR NOT NULL,
    decided_at TIMESTAMP NOT NULL
);

CREATE OR REPLACE MACRO observations(signal_name, series_name, window_start, window_end) AS TABLE
SELECT trace_id, answer_span_id, started_at, value
FROM observed_answer_latency(window_start, window_end)
WHERE signal_name = 'latency_p95' AND series_name = 'answer'
UNION ALL
SELECT trace_id, answer_span_id, started_at, value
FROM observed_stage_latency(window_start, window_end)
WHERE signal_name = 'latency_p95' AND series_name <> 'answer' AND stage = series_name
UNION ALL
SELECT trace_id, answer_span_id, started_at, value
FROM observed_answer_cost(window_start, window_end)
WHERE signal_name = 'cost_per_query'
UNION ALL
SELECT trace_id, answer_span_id, started_at, value
FROM observed_rate(signal_name, window_start, window_end)
WHERE series_name = 'all' OR series_name = 'intent=' || intent;

-- Every observation of a series that has a finite value, once for each slice that its answer belongs to. Stages may start
-- up to an hour apart from their answer.
CREATE MACRO sliced_observations(signal_name, series_name, window_start, window_end) AS TABLE
WITH labelled AS (
    SELECT observed.started_at, observed.value, answers.intent, answers.service_version, answers.slices
    FROM observations(signal_name, series_name, window_start, window_end) AS observed
    INNER JOIN answers
        ON answers.trace_id = observed.trace_id AND answers.span_id = observed.answer_span_id
    WHERE isfinite(observed.value)
        AND answers.started_at >= window_start - INTERVAL 1 HOUR
        AND answers.started_at < window_end + INTERVAL 1 HOUR
),
named AS (
    SELECT started_at, value, 'intent' AS name, intent AS slice FROM labelled
    UNION ALL
    SELECT started_at, value, 'service_version', service_version FROM labelled
    UNION ALL
    SELECT started_at, value, entry.key, entry.value
    FROM (
        SELECT started_at, value, unnest(map_entries(try_cast(slices AS MAP(VARCHAR, VARCHAR)))) AS entry
        FROM labelled
    )
)
SELECT * FROM named WHERE slice IS NOT NULL;

-- A band has a lower limit and an expected value; NULL where a signal has only the upper limit.
ALTER TABLE estimates ADD COLUMN lower_limit_value DOUBLE;
ALTER TABLE estimates ADD COLUMN expected_value DOUBLE;
