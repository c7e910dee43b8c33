-- Which answers of a time range are the newest, slowest or costliest, as a whole or in one stage?
WITH stages AS (
    SELECT
        trace_id,
        answer_span_id,
        sum(duration_ms) AS stage_duration_ms,
        sum(cost_usd) AS stage_cost_usd
    FROM spans
    WHERE
        started_at >= $start
        AND started_at < $end::TIMESTAMP + INTERVAL 1 HOUR
        AND stage = $stage
        AND probe_id IS NULL
    GROUP BY trace_id, answer_span_id
)

SELECT
    answers.trace_id, answers.span_id, answer_id, answers.started_at, duration_ms, service, service_version, intent,
    status, question, costs.value AS cost_usd, stage_duration_ms, stage_cost_usd
FROM answers
INNER JOIN observed_answer_cost($start::TIMESTAMP, $end::TIMESTAMP) AS costs
    ON costs.trace_id = answers.trace_id AND costs.answer_span_id = answers.span_id
LEFT JOIN stages ON stages.trace_id = answers.trace_id AND stages.answer_span_id = answers.span_id
WHERE
    answers.started_at >= $start
    AND answers.started_at < $end
    AND ($intent IS NULL OR intent = $intent)
    AND ($stage IS NULL OR stages.trace_id IS NOT NULL)
ORDER BY
    CASE
        WHEN $ranking = 'slowest' THEN if($stage IS NULL, duration_ms, stage_duration_ms)
        WHEN $ranking = 'costliest' THEN if($stage IS NULL, cost_usd, stage_cost_usd)
    END DESC NULLS LAST,
    answers.started_at DESC
LIMIT $limit;
