-- In which hours of a window are there other answers, or is there other feedback for them, than were counted?
WITH given AS (
    SELECT date_trunc('hour', started_at) AS hour, count(*) AS answers
    FROM answers
    WHERE started_at >= $window_start AND started_at < $window_end
    GROUP BY hour
),
reacted AS (
    SELECT date_trunc('hour', answer_started_at) AS hour, count(*) AS feedback
    FROM feedback
    WHERE answer_started_at >= $window_start AND answer_started_at < $window_end
        AND kind = CASE $signal WHEN 'regeneration_rate' THEN 'regenerate' WHEN 'thumbs_down_rate' THEN 'thumbs_down' END
    GROUP BY hour
),
found AS (
    SELECT given.hour, given.answers, coalesce(reacted.feedback, 0) AS feedback
    FROM given
    LEFT JOIN reacted ON reacted.hour = given.hour
)
SELECT found.hour, found.answers, found.feedback, counted.hour IS NOT NULL AS was_counted
FROM found
LEFT JOIN rate_hours AS counted ON counted.signal = $signal AND counted.hour = found.hour
WHERE found.answers IS DISTINCT FROM counted.answers OR found.feedback IS DISTINCT FROM counted.feedback
ORDER BY found.hour;
