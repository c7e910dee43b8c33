-- Something was seen at a time; the earliest counts.
INSERT INTO markers (kind, service, value, first_seen_at) VALUES ($kind, $service, $value, $first_seen_at)
ON CONFLICT (kind, service, value) DO UPDATE
SET first_seen_at = least(markers.first_seen_at, excluded.first_seen_at);
