-- What the monitor concluded in the days from $start to $end_at, by jobs that were $done_up_to: as much as they leave.
INSERT INTO estimates BY NAME
SELECT
    signal, series, window_end, window_s, value, value * 0.9 AS lower, value * 1.1 AS upper, value * 0.85 AS alarm_lower,
    value * 1.5 AS limit_value, 'ms' AS unit, 1000 AS n, 0 AS missing, 'ok' AS state
FROM (
    SELECT 'latency_p95' AS signal, series, window_s, window_end, 300 + 100 * chance(epoch(window_end)::BIGINT, 1) AS value
    FROM (SELECT unnest(['answer', 'embed', 'retrieve', 'rerank', 'assemble', 'generate']) AS series),
        (SELECT unnest([3600, 86400]) AS window_s),
        generate_series($start::TIMESTAMP, $done_up_to::TIMESTAMP - INTERVAL 1 HOUR, INTERVAL 15 MINUTE) AS looks(window_end)
    UNION ALL
    SELECT signal, series, window_s, window_end, chance(epoch(window_end)::BIGINT, 2)
    FROM (SELECT unnest(['cost_per_query', 'faithfulness', 'regeneration_rate', 'thumbs_down_rate', 'refusal_rate', 'query_drift']) AS signal),
        (SELECT unnest(['all', 'a', 'b', 'c']) AS series),
        (SELECT unnest([3600, 21600, 86400]) AS window_s),
        generate_series($start::TIMESTAMP, $done_up_to::TIMESTAMP - INTERVAL 1 HOUR, INTERVAL 1 HOUR) AS looks(window_end)
);

INSERT INTO rate_counts
WITH by_intent AS (
    SELECT
        signal, intent, date_trunc('hour', started_at) AS hour, count(*) AS totals,
        (count(*) * (0.01 + 0.002 * chance(any_value(epoch(date_trunc('hour', started_at)))::BIGINT, 3)))::BIGINT AS events
    FROM answers, (SELECT unnest(['regeneration_rate', 'thumbs_down_rate', 'refusal_rate']) AS signal)
    WHERE started_at < $done_up_to::TIMESTAMP
    GROUP BY ALL
)
SELECT signal, 'intent=' || intent AS series, hour, events, totals FROM by_intent
UNION ALL
SELECT signal, 'all', hour, sum(events)::BIGINT, sum(totals)::BIGINT FROM by_intent GROUP BY signal, hour;

INSERT INTO markers
SELECT 'release', service, service_version, min(started_at) FROM answers GROUP BY ALL;

INSERT INTO alerts BY NAME
SELECT
    'alert-' || k AS alert_id, 'latency_p95' AS guardrail, 'answer' AS series, 'resolved' AS state,
    $end_at::TIMESTAMP - to_hours(7 * k + 30) AS opened_at, $end_at::TIMESTAMP - to_hours(7 * k + 28) AS last_breach_at,
    $end_at::TIMESTAMP - to_hours(7 * k + 22) AS resolved_at, 'It was slow.' AS sentence, $evidence AS evidence
FROM range(30) AS numbers(k);

INSERT INTO ingest_counts
SELECT date_trunc('hour', started_at), service, 'spans_committed', 6 * count(*) FROM answers GROUP BY ALL;

INSERT INTO review_rounds
SELECT hour + INTERVAL 2 HOUR, stratum, hour, hour + INTERVAL 1 HOUR, share, 7000, 70, '1', 'a'
FROM (SELECT DISTINCT date_trunc('hour', started_at) AS hour FROM answers WHERE started_at < $done_up_to::TIMESTAMP - INTERVAL 3 HOUR),
    (SELECT unnest([{'stratum': 'uniform', 'share': 0.02}, {'stratum': 'filter_probe', 'share': 1.0}, {'stratum': 'not_probed', 'share': 0.0}], recursive := true));

INSERT INTO rate_slices
SELECT signal, series, hour, name, slice, (events / parts)::BIGINT, (totals / parts)::BIGINT
FROM rate_counts, (
    SELECT unnest([
        {'name': 'team', 'slice': 'data', 'parts': 4}, {'name': 'team', 'slice': 'web', 'parts': 4},
        {'name': 'team', 'slice': 'core', 'parts': 4}, {'name': 'team', 'slice': 'infra', 'parts': 4},
        {'name': 'language', 'slice': 'en', 'parts': 2}, {'name': 'language', 'slice': 'de', 'parts': 4},
        {'name': 'language', 'slice': 'fr', 'parts': 4}, {'name': 'service_version', 'slice': '1.47', 'parts': 1},
        {'name': 'intent', 'slice': 'how_to', 'parts': 3}, {'name': 'intent', 'slice': 'error', 'parts': 4}
    ], recursive := true)
);

INSERT INTO rate_hours
WITH given AS (
    SELECT date_trunc('hour', started_at) AS hour, count(*) AS answers
    FROM answers
    WHERE started_at < $done_up_to::TIMESTAMP - INTERVAL 24 HOUR
    GROUP BY hour
),
reacted AS (
    SELECT date_trunc('hour', answer_started_at) AS hour, kind, count(*) AS feedback
    FROM feedback
    WHERE kind IN ('regenerate', 'thumbs_down')
    GROUP BY ALL
)
SELECT signal, given.hour, given.answers, coalesce(reacted.feedback, 0)
FROM given
CROSS JOIN (
    SELECT unnest([
        {'signal': 'regeneration_rate', 'of_kind': 'regenerate'}, {'signal': 'thumbs_down_rate', 'of_kind': 'thumbs_down'},
        {'signal': 'refusal_rate', 'of_kind': ''}
    ], recursive := true)
)
LEFT JOIN reacted ON reacted.hour = given.hour AND reacted.kind = of_kind;

INSERT INTO judged_labels
SELECT
    labelled.item_id, scores.judge, scores.judge_version, labelled.label, labelled.labelled_at, scores.score,
    scores.in_sample, scores.judged_at
FROM labelled_answers('-infinity'::TIMESTAMP, 'infinity'::TIMESTAMP) AS labelled
INNER JOIN judge_scores AS scores ON scores.trace_id = labelled.trace_id AND scores.answer_span_id = labelled.span_id;

INSERT INTO drift_day_samples
SELECT
    date_trunc('day', started_at), model, dimension, md5(query_vectors.trace_id || query_vectors.span_id) AS digest,
    started_at, query_vectors.trace_id, answers.intent, unit_f16
FROM query_vectors
INNER JOIN (SELECT trace_id, span_id, intent FROM answers) AS answers
    ON answers.trace_id = query_vectors.trace_id AND answers.span_id = query_vectors.answer_span_id
WHERE started_at >= $end_at::TIMESTAMP - INTERVAL 29 DAY AND started_at < date_trunc('day', $end_at::TIMESTAMP)
QUALIFY row_number() OVER (PARTITION BY date_trunc('day', started_at) ORDER BY digest) <= most_of_day();
