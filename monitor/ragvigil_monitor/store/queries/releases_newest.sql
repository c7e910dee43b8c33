-- Which releases were first seen most recently?
SELECT service, service_version, first_seen_at
FROM releases
ORDER BY first_seen_at DESC, service, service_version
LIMIT $limit;
