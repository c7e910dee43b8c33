-- A question that is asked again and again counts once: it is one user's doubt about one answer, however often the button
-- is pressed. So the regeneration rate is over first answers, and those that only repeat one of them have no value.

-- Which answers of a window were asked for again by the same user in the same session within 30 minutes (again), and which
-- come from such asking again (repeats)? The next question is nearly the same, or the same one comes again later. Linear
-- in the answers, however long a session is.
CREATE OR REPLACE MACRO asked_again(window_start, window_end) AS TABLE
WITH asked AS (
    SELECT trace_id, span_id, started_at, service, session_id, user_id, normalised_question(question) AS question
    FROM answers
    WHERE session_id IS NOT NULL AND question IS NOT NULL
        AND started_at >= window_start - INTERVAL 30 MINUTE AND started_at < window_end + INTERVAL 30 MINUTE
),
followed AS (
    SELECT
        *,
        question IS NOT NULL AND lead(started_at) OVER same_question <= started_at + INTERVAL 30 MINUTE AS comes_again,
        question IS NOT NULL AND lead(started_at) OVER in_session <= started_at + INTERVAL 30 MINUTE
        AND asks_again(question, lead(question) OVER in_session) AS next_asks_again
    FROM asked
    WINDOW
        in_session AS (PARTITION BY service, session_id, user_id ORDER BY started_at, span_id),
        same_question AS (PARTITION BY service, session_id, user_id, question ORDER BY started_at, span_id)
),
linked AS (
    SELECT
        trace_id,
        span_id AS answer_span_id,
        started_at,
        coalesce(comes_again OR next_asks_again, false) AS again,
        coalesce(lag(comes_again) OVER same_question OR lag(next_asks_again) OVER in_session, false) AS repeats
    FROM followed
    WINDOW
        in_session AS (PARTITION BY service, session_id, user_id ORDER BY started_at, span_id),
        same_question AS (PARTITION BY service, session_id, user_id, question ORDER BY started_at, span_id)
)
SELECT trace_id, answer_span_id, again, repeats
FROM linked
WHERE started_at >= window_start AND started_at < window_end AND (again OR repeats);

-- Regenerated within 30 minutes of its start, in whatever way it shows, counts once; NULL for an answer that was itself
-- given instead of another one.
CREATE OR REPLACE MACRO observed_regeneration(window_start, window_end) AS TABLE
WITH replacements AS MATERIALIZED (
    SELECT
        replaced.trace_id AS replaced_trace_id,
        replaced.span_id AS replaced_span_id,
        replacing.trace_id AS replacing_trace_id,
        replacing.span_id AS replacing_span_id
    FROM answers AS replaced
    INNER JOIN answers AS replacing ON replacing.regeneration_of = replaced.answer_id
    WHERE replaced.started_at >= window_start - INTERVAL 30 MINUTE AND replaced.started_at < window_end
        AND replacing.started_at >= window_start AND replacing.started_at < window_end + INTERVAL 30 MINUTE
        AND replacing.started_at BETWEEN replaced.started_at AND replaced.started_at + INTERVAL 30 MINUTE
        AND (replacing.trace_id, replacing.span_id) <> (replaced.trace_id, replaced.span_id)
),
asked AS MATERIALIZED (
    SELECT * FROM asked_again(window_start, window_end)
),
regenerated AS (
    SELECT trace_id, answer_span_id
    FROM feedback
    WHERE kind = 'regenerate' AND answer_started_at >= window_start AND answer_started_at < window_end
        AND given_at <= answer_started_at + INTERVAL 30 MINUTE
    UNION
    SELECT replaced_trace_id, replaced_span_id FROM replacements
    UNION
    SELECT trace_id, answer_span_id FROM asked WHERE again
),
repeating AS (
    SELECT replacing_trace_id AS trace_id, replacing_span_id AS answer_span_id FROM replacements
    UNION
    SELECT trace_id, answer_span_id FROM asked WHERE repeats
)
SELECT
    answers.trace_id,
    answers.span_id AS answer_span_id,
    answers.started_at,
    answers.intent,
    if(repeating.answer_span_id IS NULL, (regenerated.answer_span_id IS NOT NULL)::DOUBLE, NULL) AS value
FROM answers
LEFT JOIN regenerated ON regenerated.trace_id = answers.trace_id AND regenerated.answer_span_id = answers.span_id
LEFT JOIN repeating ON repeating.trace_id = answers.trace_id AND repeating.answer_span_id = answers.span_id
WHERE answers.started_at >= window_start AND answers.started_at < window_end;

-- The history is counted in the same way as what is compared with it: anew, in the background.
DELETE FROM rate_hours WHERE signal = 'regeneration_rate';
