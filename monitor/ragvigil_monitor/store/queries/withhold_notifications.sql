-- Which notifications has nobody to get any more? The alert is resolved and nobody was told that it had opened.
UPDATE deliveries
SET state = 'withheld', next_attempt_at = NULL, last_error = $reason
FROM alerts, deliveries AS opening
WHERE deliveries.state = 'pending'
    AND alerts.alert_id = deliveries.alert_id AND alerts.state = 'resolved'
    AND opening.alert_id = deliveries.alert_id AND opening.channel = deliveries.channel
    AND opening.transition = 'opened'
    AND ((opening.state = 'pending' AND opening.attempts = 0) OR opening.state IN ('withheld', 'given_up'));
