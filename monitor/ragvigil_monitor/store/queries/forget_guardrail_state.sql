-- Which series does a guardrail no longer guard?
DELETE FROM guardrail_states WHERE guardrail = $guardrail AND series = $series;
