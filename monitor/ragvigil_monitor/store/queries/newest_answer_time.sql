-- When did the newest answer start, and how many started since a time?
SELECT
    max(started_at) AS last_answer_at,
    count(*) FILTER (WHERE started_at >= $counted_since) AS answers_counted
FROM answers
WHERE started_at >= $searched_since;
