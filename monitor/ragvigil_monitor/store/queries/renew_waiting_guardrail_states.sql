-- What do guardrails wait for now, of those that were announced before the first answer and have not looked?
UPDATE guardrail_states
SET sentence = batch.sentence, evaluated_at = batch.evaluated_at
FROM batch
WHERE guardrail_states.guardrail = batch.guardrail AND guardrail_states.series = batch.series;
