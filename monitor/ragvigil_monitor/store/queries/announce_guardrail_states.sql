-- Which guardrails wait for the first answer? Those that are known already stay as they are.
INSERT OR IGNORE INTO guardrail_states BY NAME SELECT * FROM batch;
