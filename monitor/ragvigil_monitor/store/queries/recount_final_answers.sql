-- How many answers of each service do an hour's counts lack or have too many, whose spans were removed? Answers stay, so they
-- are counted anew.
UPDATE told_hours SET
    answers = counted.answers,
    answers_without_question = counted.answers_without_question,
    answers_without_text = counted.answers_without_text
FROM (
    SELECT
        service,
        count(*) AS answers,
        count(*) FILTER (question IS NULL) AS answers_without_question,
        count(*) FILTER (answer IS NULL) AS answers_without_text
    FROM answers
    WHERE started_at >= $hour AND started_at < $hour::TIMESTAMP + INTERVAL 1 HOUR
    GROUP BY service
) AS counted
WHERE told_hours.hour = $hour AND told_hours.service = counted.service;
