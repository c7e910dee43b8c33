-- What judges say of answers. A row has a score in [0, 1], or else the reason why there is none.

-- in_sample: the answer was drawn for the estimate, with inclusion_probability (NULL otherwise); the others were judged
-- because people review them, and tell how far the judge can be trusted.
CREATE TABLE judge_scores (
    trace_id BLOB NOT NULL,
    answer_span_id BLOB NOT NULL,
    started_at TIMESTAMP NOT NULL,
    judge VARCHAR NOT NULL,
    judge_version VARCHAR NOT NULL,
    score DOUBLE,
    reason VARCHAR,
    in_sample BOOLEAN NOT NULL,
    inclusion_probability DOUBLE,
    judged_at TIMESTAMP NOT NULL
);

-- NULL where the answer could not be scored.
CREATE MACRO observed_faithfulness(window_start, window_end) AS TABLE
SELECT trace_id, answer_span_id, started_at, score AS value
FROM judge_scores
WHERE in_sample AND started_at >= window_start AND started_at < window_end;

CREATE OR REPLACE MACRO observations(signal_name, series_name, window_start, window_end) AS TABLE
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
WHERE signal_name = 'cost_per_query'
UNION ALL
SELECT trace_id, answer_span_id, started_at, value
FROM observed_faithfulness(window_start, window_end)
WHERE signal_name = 'faithfulness'
UNION ALL
SELECT trace_id, answer_span_id, started_at, value
FROM observed_rate(signal_name, window_start, window_end)
WHERE series_name = 'all' OR series_name = 'intent=' || intent
UNION ALL
SELECT trace_id, answer_span_id, started_at, value
FROM observed_false_exclusion(window_start, window_end)
WHERE signal_name = 'false_exclusion';

-- The bound that an alarm about a lower limit is decided by; NULL where a signal has only the one from below.
ALTER TABLE estimates ADD COLUMN alarm_upper DOUBLE;
