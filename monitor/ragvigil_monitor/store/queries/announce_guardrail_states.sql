-- What do guardrails wait for that have not looked yet?
INSERT INTO guardrail_states BY NAME SELECT * FROM batch
ON CONFLICT (guardrail, series) DO UPDATE SET sentence = excluded.sentence;
