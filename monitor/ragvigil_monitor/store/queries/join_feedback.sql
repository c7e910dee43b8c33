-- Which answers does feedback belong to that is new or parked? By trace and span id, else by answer id. The start of the
-- answer, as far as the feedback tells it, narrows the search.
WITH parked AS (
    SELECT *
    FROM feedback
    WHERE answer_started_at IS NULL
        AND (event_number > $taken_up_to OR given_at >= $parked_since::TIMESTAMP)
),
near AS (
    SELECT trace_id, span_id, answer_id, started_at
    FROM answers
    WHERE started_at BETWEEN
        (SELECT min(coalesce(claimed_started_at - INTERVAL 1 HOUR, given_at - to_microseconds($reach_us))) FROM parked)
        AND (SELECT max(coalesce(claimed_started_at, given_at)) + INTERVAL 1 HOUR FROM parked)
),
candidates AS (
    SELECT parked.feedback_id, 1 AS choice, near.trace_id, near.span_id, near.started_at
    FROM parked
    INNER JOIN near ON near.trace_id = parked.claimed_trace_id AND near.span_id = parked.claimed_span_id
    UNION ALL
    SELECT parked.feedback_id, 2, near.trace_id, near.span_id, near.started_at
    FROM parked
    INNER JOIN near ON near.answer_id = parked.claimed_answer_id
),
chosen AS (
    SELECT *
    FROM candidates
    QUALIFY row_number() OVER (PARTITION BY feedback_id ORDER BY choice, started_at, trace_id, span_id) = 1
)
UPDATE feedback
SET
    trace_id = chosen.trace_id,
    answer_span_id = chosen.span_id,
    answer_started_at = chosen.started_at,
    given_at = feedback_time(chosen.started_at, feedback.occurred_at, feedback.observed_at)
FROM chosen
WHERE feedback.feedback_id = chosen.feedback_id;
