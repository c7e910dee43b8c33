-- Which answers does feedback belong to that is new or parked? By trace and span id; else by answer id; else by the id
-- of a model call. The start of the answer, as far as the feedback tells it, narrows the search.
WITH parked AS (
    SELECT *
    FROM feedback
    WHERE answer_started_at IS NULL
        AND (event_number > $taken_up_to OR given_at >= $parked_since::TIMESTAMP)
),
reach AS (
    SELECT
        min(coalesce(claimed_started_at - INTERVAL 1 HOUR, given_at - to_microseconds($reach_us))) AS earliest,
        max(coalesce(claimed_started_at, given_at)) + INTERVAL 1 HOUR AS latest
    FROM parked
),
near AS (
    SELECT trace_id, span_id, answer_id, started_at
    FROM answers
    WHERE started_at >= (SELECT earliest FROM reach) AND started_at <= (SELECT latest FROM reach)
),
calls AS (
    SELECT json_extract_string(attributes, $response_id) AS response_id, trace_id, answer_span_id
    FROM spans
    WHERE started_at >= (SELECT earliest FROM reach) AND started_at <= (SELECT latest FROM reach)
        AND answer_span_id IS NOT NULL
        AND response_id IN (SELECT claimed_response_id FROM parked)
),
candidates AS (
    SELECT parked.feedback_id, 1 AS choice, near.*
    FROM parked
    INNER JOIN near ON near.trace_id = parked.claimed_trace_id AND near.span_id = parked.claimed_span_id
    UNION ALL
    SELECT parked.feedback_id, 2, near.*
    FROM parked
    INNER JOIN near ON near.answer_id = parked.claimed_answer_id
    UNION ALL
    SELECT parked.feedback_id, 3, near.*
    FROM parked
    INNER JOIN calls ON calls.response_id = parked.claimed_response_id
    INNER JOIN near ON near.trace_id = calls.trace_id AND near.span_id = calls.answer_span_id
),
chosen AS (
    SELECT * FROM candidates
    QUALIFY row_number() OVER (PARTITION BY feedback_id ORDER BY choice, started_at, trace_id, span_id) = 1
)
UPDATE feedback
SET
    trace_id = chosen.trace_id,
    answer_span_id = chosen.span_id,
    answer_started_at = chosen.started_at,
    given_at = greatest(
        chosen.started_at,
        if(feedback.occurred_at BETWEEN chosen.started_at AND feedback.observed_at,
            feedback.occurred_at, feedback.observed_at)
    )
FROM chosen
WHERE feedback.feedback_id = chosen.feedback_id;
