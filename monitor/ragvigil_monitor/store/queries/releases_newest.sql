-- Which releases were first seen most recently?
SELECT service, value AS service_version, first_seen_at
FROM markers
WHERE kind = 'release'
ORDER BY first_seen_at DESC, service, value
LIMIT $limit;
