-- Which event was taken in last, has feedback arrived since, and does older feedback wait for an answer that may come?
WITH known AS (SELECT coalesce(max(event_number), 0) AS number FROM feedback)
SELECT
    known.number AS taken_up_to,
    EXISTS (FROM log_events WHERE event_name = $event_name AND number > known.number) AS arrived,
    EXISTS (FROM feedback WHERE answer_started_at IS NULL AND given_at >= $parked_since::TIMESTAMP) AS parked
FROM known;
