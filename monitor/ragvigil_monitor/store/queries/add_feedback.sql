-- Which feedback has arrived since an event? Each id once, the earliest event of it; parameters name the attributes.
-- A start of the answer that cannot be true is as good as none.
INSERT INTO feedback BY NAME
SELECT
    event_id AS feedback_id,
    number AS event_number,
    service,
    coalesce(left(json_extract_string(attributes, $kind), 100), '') AS kind,
    left(json_extract_string(attributes, $reason), 100) AS reason,
    if(isfinite(try_cast(json_extract_string(attributes, $value) AS DOUBLE)),
        try_cast(json_extract_string(attributes, $value) AS DOUBLE), NULL) AS value,
    occurred_at,
    observed_at,
    least(occurred_at, observed_at) AS given_at,
    trace_id AS claimed_trace_id,
    span_id AS claimed_span_id,
    json_extract_string(attributes, $answer_id) AS claimed_answer_id,
    json_extract_string(attributes, $response_id) AS claimed_response_id,
    if(claimed_us BETWEEN epoch_us(given_at) - $reach_us AND epoch_us(given_at) + 3600000000,
        make_timestamp(claimed_us), NULL) AS claimed_started_at
FROM (
    SELECT *, try_cast(json_extract_string(attributes, $answer_started_at) AS BIGINT) // 1000 AS claimed_us
    FROM log_events
    WHERE event_name = $event_name AND number > $taken_up_to
)
ANTI JOIN (SELECT feedback_id FROM feedback) AS taken ON taken.feedback_id = event_id
QUALIFY row_number() OVER (PARTITION BY event_id ORDER BY number) = 1;
