-- Open an alert, or renew its evidence; its state and what people did to it stay.
INSERT INTO alerts (
    alert_id, guardrail, series, state, opened_at, last_breach_at, onset_at, onset_earliest, onset_latest, sentence,
    evidence
)
VALUES (
    $alert_id, $guardrail, $series, 'firing', $opened_at, $last_breach_at, $onset_at, $onset_earliest, $onset_latest,
    $sentence, $evidence
)
ON CONFLICT (alert_id) DO UPDATE SET
    onset_at = excluded.onset_at,
    onset_earliest = excluded.onset_earliest,
    onset_latest = excluded.onset_latest,
    sentence = excluded.sentence,
    evidence = excluded.evidence;
