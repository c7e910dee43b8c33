-- What the signals are made of, one row an observation: (trace_id, answer_span_id, started_at, value). A value NULL is
-- missing evidence. A new signal adds its macro and replaces `observations`.

CREATE MACRO observed_answer_latency(window_start, window_end) AS TABLE
SELECT trace_id, span_id AS answer_span_id, started_at, duration_ms AS value
FROM answers
WHERE started_at >= window_start AND started_at < window_end;

CREATE MACRO observed_stage_latency(window_start, window_end) AS TABLE
SELECT trace_id, answer_span_id, started_at, stage, duration_ms AS value
FROM spans
WHERE started_at >= window_start AND started_at < window_end AND stage IS NOT NULL AND probe_id IS NULL;

-- Stages may start later than their answer, at most an hour; NULL where no stage of the answer has a cost.
CREATE MACRO observed_answer_cost(window_start, window_end) AS TABLE
WITH known AS (
    SELECT trace_id, answer_span_id, fsum(cost_usd) AS value
    FROM spans
    WHERE started_at >= window_start AND started_at < window_end + INTERVAL 1 HOUR
        AND stage IS NOT NULL AND probe_id IS NULL AND cost_usd IS NOT NULL AND answer_span_id IS NOT NULL
    GROUP BY trace_id, answer_span_id
)
SELECT answers.trace_id, answers.span_id AS answer_span_id, answers.started_at, known.value
FROM answers
LEFT JOIN known ON known.trace_id = answers.trace_id AND known.answer_span_id = answers.span_id
WHERE answers.started_at >= window_start AND answers.started_at < window_end;

CREATE MACRO observations(signal_name, series_name, window_start, window_end) AS TABLE
SELECT trace_id, answer_span_id, started_at, value
FROM observed_answer_latency(window_start, window_end)
WHERE signal_name = 'latency_p95' AND series_name = 'answer'
UNION ALL
SELECT trace_id, answer_span_id, started_at, value
FROM observed_stage_latency(window_start, window_end)
WHERE signal_name = 'latency_p95' AND series_name <> 'answer' AND stage = series_name
UNION ALL
SELECT trace_id, answer_span_id, started_at, value
FROM observed_answer_cost(window_start, window_end)
WHERE signal_name = 'cost_per_query';
