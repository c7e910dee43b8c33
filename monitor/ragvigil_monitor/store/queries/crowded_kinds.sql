-- Of which kinds had a service so many new values on one day, of those from the day before a time on, that no more were
-- noted?
SELECT DISTINCT kind, service
FROM (
    SELECT kind, service
    FROM markers
    WHERE first_seen_at >= date_trunc('day', $earliest::TIMESTAMP) - INTERVAL 1 DAY
        AND first_seen_at <= $latest::TIMESTAMP
    GROUP BY kind, service, first_seen_at::DATE
    HAVING count(*) >= $most
);
