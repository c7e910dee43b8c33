-- When was a series of a guardrail in alarm, as far as that was known at a time and reaches into a window?
SELECT series, opened_at, resolved_at
FROM alerts
WHERE guardrail = $guardrail AND opened_at <= $known_at::TIMESTAMP
    AND (resolved_at IS NULL OR resolved_at >= $window_start::TIMESTAMP);
