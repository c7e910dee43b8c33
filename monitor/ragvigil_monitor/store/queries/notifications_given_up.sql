-- Which notifications were given up, since a time?
SELECT channel, transition, created_at, attempts, last_error
FROM deliveries
WHERE state = 'given_up' AND created_at >= $since
ORDER BY created_at DESC
LIMIT $limit;
