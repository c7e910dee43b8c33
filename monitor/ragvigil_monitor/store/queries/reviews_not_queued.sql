-- Which drawn answers was a judge not asked about yet? The number of the newest, and from when to when they started.
WITH queued AS (
    SELECT coalesce(max(queued_up_to), 0) AS up_to
    FROM judge_queues
    WHERE judge = $judge AND judge_version = $judge_version
)
SELECT
    any_value(queued.up_to) AS queued_up_to, max(number) AS newest, min(started_at) AS earliest,
    max(started_at) AS latest
FROM review_items, queued
WHERE kind = 'answer' AND number > queued.up_to
HAVING count(*) > 0;
