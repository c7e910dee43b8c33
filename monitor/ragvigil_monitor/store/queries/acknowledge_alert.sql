-- Somebody is on an alert; which one, if there is one?
UPDATE alerts
SET
    acknowledged_at = $now,
    acknowledged_by = $by,
    acknowledged_note = $note,
    state = CASE WHEN state = 'firing' THEN 'acknowledged' ELSE state END
WHERE alert_id = $alert_id
RETURNING alert_id;
