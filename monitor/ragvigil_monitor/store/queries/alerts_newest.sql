-- Which alerts are in one of these states, newest first?
SELECT
    alert_id, guardrail, series, state, opened_at, onset_at, onset_earliest, onset_latest, last_breach_at,
    resolved_at, acknowledged_at, acknowledged_by, acknowledged_note, silenced_until, sentence, evidence
FROM alerts
WHERE list_contains($states, state)
ORDER BY opened_at DESC, alert_id
LIMIT $limit;
