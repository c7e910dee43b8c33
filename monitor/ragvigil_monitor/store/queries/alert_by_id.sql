-- What is known of one alert?
SELECT
    alert_id, guardrail, series, state, opened_at, onset_at, onset_earliest, onset_latest, last_breach_at,
    resolved_at, acknowledged_at, acknowledged_by, acknowledged_note, silenced_until, sentence, evidence
FROM alerts
WHERE alert_id = $alert_id;
