-- What did a guardrail say last of each series?
SELECT series, state, since, evaluated_at, sentence FROM guardrail_states WHERE guardrail = $guardrail;
