-- What does a guardrail say of each series now?
INSERT OR REPLACE INTO guardrail_states BY NAME SELECT * FROM batch;
