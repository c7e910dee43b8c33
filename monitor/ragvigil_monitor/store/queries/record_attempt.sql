-- How did an attempt to send a notification end?
UPDATE deliveries
SET
    attempts = $attempts,
    state = $state,
    delivered_at = $delivered_at,
    next_attempt_at = $next_attempt_at,
    last_error = $last_error
WHERE delivery_id = $delivery_id;
