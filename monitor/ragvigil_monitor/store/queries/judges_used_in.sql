-- Which judges scored sampled answers of a window, and from which answer on?
SELECT judge || ' ' || judge_version AS value, min(started_at) AS first_seen_at
FROM judge_scores
WHERE in_sample AND started_at >= $window_start::TIMESTAMP AND started_at < $window_end::TIMESTAMP
GROUP BY value
ORDER BY first_seen_at, value;
