-- Which notifications are to be sent through a channel now? None of a silenced alert; a resolution after its opening.
SELECT deliveries.delivery_id, deliveries.payload, deliveries.attempts
FROM deliveries
INNER JOIN alerts ON alerts.alert_id = deliveries.alert_id
WHERE deliveries.state = 'pending' AND deliveries.channel = $channel AND deliveries.next_attempt_at <= $now
    AND (alerts.silenced_until IS NULL OR alerts.silenced_until <= $now)
    AND (deliveries.transition = 'opened' OR NOT EXISTS (
        FROM deliveries AS opening
        WHERE opening.alert_id = deliveries.alert_id AND opening.channel = deliveries.channel
            AND opening.transition = 'opened' AND opening.state = 'pending'
    ))
ORDER BY deliveries.created_at, deliveries.delivery_id
LIMIT $most;
