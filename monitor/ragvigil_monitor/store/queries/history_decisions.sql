-- Which spans of time are part of a guardrail's history and which are not? What comes later wins: by default alarms are
-- not, from six hours before until six hours after, as far as they are known at a time; then what people decided.
SELECT
    series,
    opened_at - INTERVAL 6 HOUR AS starts_at,
    resolved_at + INTERVAL 6 HOUR AS ends_at,
    false AS counts,
    NULL AS decided_at
FROM alerts
WHERE guardrail = $guardrail AND opened_at <= $known_at::TIMESTAMP
    AND (resolved_at IS NULL OR resolved_at + INTERVAL 6 HOUR >= $window_start::TIMESTAMP)
UNION ALL
SELECT series, starts_at, ends_at, counts, decided_at
FROM history_decisions
WHERE guardrail = $guardrail AND ends_at >= $window_start::TIMESTAMP
ORDER BY decided_at NULLS FIRST;
