-- How many answers started in a time range, and when the first of them?
SELECT count(*) AS answers, min(started_at) AS first_answer_at
FROM answers
WHERE started_at >= $start AND started_at < $end;
