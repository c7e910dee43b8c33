-- How does an alert stand, apart from its evidence?
UPDATE alerts
SET
    last_breach_at = $last_breach_at,
    in_control_since = $in_control_since,
    resolved_at = $resolved_at,
    state = CASE WHEN $resolved_at::TIMESTAMP IS NULL THEN state ELSE 'resolved' END
WHERE alert_id = $alert_id;
