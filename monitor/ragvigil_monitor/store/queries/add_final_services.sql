-- Which services gave answers in an hour whose spans were removed, and nothing was known of them? Of their spans nothing is
-- counted; their answers are counted next.
INSERT INTO told_hours
SELECT DISTINCT $hour::TIMESTAMP, service, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
FROM answers
WHERE started_at >= $hour AND started_at < $hour::TIMESTAMP + INTERVAL 1 HOUR
    AND service NOT IN (SELECT service FROM told_hours WHERE hour = $hour);
