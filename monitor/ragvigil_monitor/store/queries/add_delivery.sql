-- A notification waits to be sent.
INSERT INTO deliveries (
    delivery_id, alert_id, channel, transition, state, payload, created_at, attempts, next_attempt_at
)
VALUES ($delivery_id, $alert_id, $channel, $transition, 'pending', $payload, $created_at, 0, $created_at)
ON CONFLICT (delivery_id) DO NOTHING;
