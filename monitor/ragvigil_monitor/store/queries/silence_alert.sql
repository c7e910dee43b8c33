-- Nobody wants to hear of an alert for a while; which one, if there is one?
UPDATE alerts
SET
    silenced_until = $until,
    state = CASE WHEN state = 'resolved' THEN state ELSE 'silenced' END
WHERE alert_id = $alert_id
RETURNING alert_id;
