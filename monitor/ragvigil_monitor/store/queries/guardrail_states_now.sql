-- What does each guardrail say of each series now?
SELECT guardrail, series, state, since, evaluated_at, sentence
FROM guardrail_states
ORDER BY guardrail, series;
