-- Does any feedback that is new or parked name a model call?
SELECT EXISTS (
    FROM feedback
    WHERE answer_started_at IS NULL AND claimed_response_id IS NOT NULL
        AND (event_number > $taken_up_to OR given_at >= $parked_since::TIMESTAMP)
) AS waits;
