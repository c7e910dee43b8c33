-- Which answers of a time range are the newest, slowest or costliest, as a whole (stage '') or in one stage? Reads spans.
SELECT
    started_at, trace_id, answer_span_id, duration_ms, cost_usd, answer_cost_usd
FROM observed_answer_stages($start::TIMESTAMP, $end::TIMESTAMP)
WHERE stage = $stage AND ($intent IS NULL OR intent = $intent)
ORDER BY CASE WHEN $ranking = 'slowest' THEN duration_ms WHEN $ranking = 'costliest' THEN cost_usd END DESC NULLS LAST,
    started_at DESC
LIMIT $limit;
