-- Which releases were first seen in a span of time?
SELECT service, service_version AS value, first_seen_at
FROM releases
WHERE first_seen_at >= $earliest AND first_seen_at <= $latest
ORDER BY first_seen_at, service, service_version;
