-- A release was seen at a time; the earliest counts.
INSERT INTO releases (service, service_version, first_seen_at) VALUES ($service, $service_version, $first_seen_at)
ON CONFLICT (service, service_version) DO UPDATE
SET first_seen_at = least(releases.first_seen_at, excluded.first_seen_at);
