-- Which answers does feedback belong to that is new or was given lately, and names a span below an answer? Where an
-- application names no answers, its author cannot know which span is one. Spans of the last day before it are read.
WITH parked AS (
    SELECT *
    FROM feedback
    WHERE answer_started_at IS NULL AND claimed_trace_id IS NOT NULL AND claimed_span_id IS NOT NULL
        AND (event_number > $taken_up_to OR given_at >= $lately::TIMESTAMP)
),
reach AS (
    SELECT
        $lately::TIMESTAMP - INTERVAL 1 DAY AS earliest,
        max(given_at) + INTERVAL 1 HOUR AS latest
    FROM parked
),
named AS (
    SELECT spans.trace_id, spans.span_id, spans.answer_span_id
    FROM spans, reach
    WHERE spans.started_at BETWEEN earliest AND latest AND spans.answer_span_id IS NOT NULL
        AND spans.trace_id IN (SELECT claimed_trace_id FROM parked)
),
chosen AS (
    SELECT parked.feedback_id, answers.trace_id, answers.span_id, answers.started_at
    FROM parked
    INNER JOIN named ON named.trace_id = parked.claimed_trace_id AND named.span_id = parked.claimed_span_id
    INNER JOIN answers ON answers.trace_id = named.trace_id AND answers.span_id = named.answer_span_id
    WHERE answers.started_at BETWEEN (SELECT earliest FROM reach) AND (SELECT latest FROM reach)
    QUALIFY row_number() OVER (PARTITION BY feedback_id ORDER BY answers.started_at, answers.span_id) = 1
)
UPDATE feedback
SET
    trace_id = chosen.trace_id,
    answer_span_id = chosen.span_id,
    answer_started_at = chosen.started_at,
    given_at = feedback_time(chosen.started_at, feedback.occurred_at, feedback.observed_at)
FROM chosen
WHERE feedback.feedback_id = chosen.feedback_id;
