-- Which questions were asked again is found at less cost, and as before: nothing that was counted changes.

-- Near-identical: equal, or the same numbers and at most one edit for every 20 characters. To count edits takes by far the
-- longest, so it is done only where nothing else tells two questions apart: CASE stops there, AND works out all its parts.
CREATE OR REPLACE MACRO asks_again(one, other) AS CASE
    WHEN one = other THEN true
    WHEN abs(length(one) - length(other)) > length(one) // 20 THEN false
    WHEN regexp_extract_all(one, '\p{N}+') <> regexp_extract_all(other, '\p{N}+') THEN false
    ELSE levenshtein(one, other) <= length(one) // 20
END;

-- Which answers in and around a window did the same user ask for again in the same session within 30 minutes (replaced), and
-- which came of it (replacing)? The next question is nearly the same, or the same one comes again later. Linear in the
-- answers, however long a session is. All are sorted together: into how many parts PARTITION BY takes them apart follows
-- from how many answers the whole table has.
CREATE OR REPLACE MACRO asked_again(window_start, window_end) AS TABLE
WITH asked AS (
    SELECT {
        'asker': {'service': service, 'session_id': session_id, 'user_id': user_id},
        'question': normalised_question(question),
        'started_at': started_at,
        'trace_id': trace_id,
        'span_id': span_id
    } AS answer
    FROM answers
    WHERE session_id IS NOT NULL AND question IS NOT NULL
        AND started_at >= window_start - INTERVAL 30 MINUTE AND started_at < window_end + INTERVAL 30 MINUTE
),
followed AS MATERIALIZED (
    SELECT answer, lead(answer) OVER in_session AS next_one, lead(answer) OVER same_question AS same_again
    FROM asked
    WINDOW
        in_session AS (ORDER BY answer.asker, answer.started_at, answer.span_id),
        same_question AS (ORDER BY answer.asker, answer.question, answer.started_at, answer.span_id)
),
pairs AS (
    SELECT answer AS replaced, same_again AS replacing FROM followed WHERE answer.question = same_again.question
    UNION ALL
    SELECT answer, next_one FROM followed WHERE asks_again(answer.question, next_one.question)
)
SELECT
    replaced.trace_id AS replaced_trace_id,
    replaced.span_id AS replaced_span_id,
    replacing.trace_id AS replacing_trace_id,
    replacing.span_id AS replacing_span_id
FROM pairs
WHERE replaced.asker IS NOT DISTINCT FROM replacing.asker
    AND replacing.started_at <= replaced.started_at + INTERVAL 30 MINUTE;

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
    UNION ALL
    SELECT * FROM asked_again(window_start, window_end)
),
regenerated AS (
    SELECT trace_id, answer_span_id
    FROM feedback
    WHERE kind = 'regenerate' AND answer_started_at >= window_start AND answer_started_at < window_end
        AND given_at <= answer_started_at + INTERVAL 30 MINUTE
    UNION
    SELECT replaced_trace_id, replaced_span_id FROM replacements
),
repeating AS (
    SELECT DISTINCT replacing_trace_id AS trace_id, replacing_span_id AS answer_span_id FROM replacements
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
