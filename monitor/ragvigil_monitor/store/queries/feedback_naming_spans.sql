-- Does any feedback that is new or was given lately name a span that is no answer?
SELECT EXISTS (
    FROM feedback
    WHERE answer_started_at IS NULL AND claimed_trace_id IS NOT NULL AND claimed_span_id IS NOT NULL
        AND (event_number > $taken_up_to OR given_at >= $lately::TIMESTAMP)
) AS waits;
