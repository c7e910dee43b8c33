-- How many alerts of each guardrail are not resolved, by state?
SELECT guardrail, state, count(*) AS alerts
FROM alerts
WHERE state <> 'resolved'
GROUP BY guardrail, state
ORDER BY guardrail, state;
