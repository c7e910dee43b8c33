-- When did the first answer start?
SELECT min(started_at) AS first_answer_at FROM answers;
