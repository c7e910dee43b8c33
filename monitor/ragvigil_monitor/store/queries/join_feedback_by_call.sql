-- Which answers does feedback belong to that is new or parked and names a model call? Reads the attributes of spans, so
-- it is asked only when there is such feedback.
WITH parked AS (
    SELECT *
    FROM feedback
    WHERE answer_started_at IS NULL AND claimed_response_id IS NOT NULL
        AND (event_number > $taken_up_to OR given_at >= $parked_since::TIMESTAMP)
),
reach AS (
    SELECT
        min(coalesce(claimed_started_at - INTERVAL 1 HOUR, given_at - to_microseconds($reach_us))) AS earliest,
        max(coalesce(claimed_started_at, given_at)) + INTERVAL 1 HOUR AS latest
    FROM parked
),
calls AS (
    SELECT json_extract_string(attributes, $response_id) AS response_id, trace_id, answer_span_id
    FROM spans, reach
    WHERE started_at BETWEEN earliest AND latest AND answer_span_id IS NOT NULL
),
chosen AS (
    SELECT parked.feedback_id, answers.trace_id, answers.span_id, answers.started_at
    FROM parked
    INNER JOIN calls ON calls.response_id = parked.claimed_response_id
    INNER JOIN answers ON answers.trace_id = calls.trace_id AND answers.span_id = calls.answer_span_id
    WHERE answers.started_at BETWEEN (SELECT earliest FROM reach) AND (SELECT latest FROM reach)
    QUALIFY row_number() OVER (
        PARTITION BY feedback_id ORDER BY answers.started_at, answers.trace_id, answers.span_id
    ) = 1
)
UPDATE feedback
SET
    trace_id = chosen.trace_id,
    answer_span_id = chosen.span_id,
    answer_started_at = chosen.started_at,
    given_at = feedback_time(chosen.started_at, feedback.occurred_at, feedback.observed_at)
FROM chosen
WHERE feedback.feedback_id = chosen.feedback_id;
