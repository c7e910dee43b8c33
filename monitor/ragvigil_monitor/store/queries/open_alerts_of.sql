-- Which alerts of a guardrail are not resolved?
SELECT series, opened_at, last_breach_at, in_control_since
FROM alerts
WHERE guardrail = $guardrail AND state <> 'resolved';
