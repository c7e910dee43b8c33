-- Which versions of judges were first used in a time range, from which answer on, and what did each replace (NULL: none)?
WITH used AS (
    SELECT judge, judge_version, min(started_at) AS first_seen_at
    FROM judge_scores
    WHERE in_sample
    GROUP BY judge, judge_version
),
ordered AS (
    SELECT *, lag(judge || ' ' || judge_version) OVER (ORDER BY first_seen_at, judge, judge_version) AS replaced
    FROM used
)
SELECT judge, judge_version, first_seen_at, replaced
FROM ordered
WHERE first_seen_at >= $start AND first_seen_at < $end
ORDER BY first_seen_at, judge, judge_version;
