-- The answers $first .. $end (exclusive) of a day that begins at $day, of $per_day answers, in order of time; by jobs that
-- were $done_up_to.
CREATE OR REPLACE TEMP TABLE asked AS
SELECT
    i,
    trace_of(i) AS trace_id,
    span_of(i, 0) AS span_id,
    $day::TIMESTAMP + to_microseconds((86400e6 * (share - 0.08 * sin(2 * pi() * share)))::BIGINT) AS started_at,
    service_of(i) AS service,
    '1.' || (($day::DATE - DATE '2026-01-01') // 7) AS service_version,
    service_of(i) || '-' || (pick(i + 3, 4)) || '-' || $day::DATE AS instance_id,
    400 * exp(1.3 * bell(i, 1)) AS duration_ms,
    intent_of(i) AS intent
FROM (SELECT i, (i - $first) / $per_day AS share FROM range($first::BIGINT, $end::BIGINT) AS numbers(i));

INSERT INTO answers BY NAME
SELECT
    asked.trace_id, asked.span_id, 'answer-' || i AS answer_id, started_at, duration_ms, service, service_version,
    if(chance(i, 10) < 0.01, 'error', 'ok') AS status,
    'session-' || (i // 3) AS session_id,
    'user-' || (pick(i // 3, 50000)) AS user_id,
    intent,
    '{"team":"' || ['data', 'web', 'core', 'infra'][1 + (pick(i + 11, 4))] || '","language":"' || ['en', 'en', 'de', 'fr'][1 + (pick(i + 12, 4))] || '"}' AS slices,
    'How do I ' || left(texts.said, 60) || ' ' || i || '?' AS question,
    texts.said || ' ' || i || '.' AS answer,
    '[{"doc_id":"module.function_' || (pick(i, 3000)) || '","rank":1}]' AS citations,
    chance(i, 11) < 0.03 AS refusal,
    chance(i, 12) AS confidence,
    if(i % 3 > 0 AND chance(i, 13) < 0.03, 'answer-' || (i - 1), NULL) AS regeneration_of,
    1.0 AS sampling_probability
FROM asked
INNER JOIN texts ON texts.k = pick(i, 4096);

INSERT INTO spans BY NAME
SELECT
    if(place = 6, trace_of(-i - 1), asked.trace_id) AS trace_id,
    span_of(i, place) AS span_id,
    if(place IN (0, 6), NULL, asked.span_id) AS parent_span_id,
    if(place = 6, NULL, asked.span_id) AS answer_span_id,
    started_at + to_milliseconds([0, 2, 30, 150, 300, 320, 2000][1 + place]) AS started_at,
    if(place = 0, asked.duration_ms, [0, 8, 90, 120, 3, 500, 90][1 + place] * exp(1.3 * bell(i, 14 + 3 * place))) AS duration_ms,
    service, service_version, instance_id,
    ['ask', 'embed', 'retrieve', 'rerank', 'assemble', 'generate', 'probe'][1 + place] AS name,
    ['CHAIN', 'EMBEDDING', 'RETRIEVER', 'RERANKER', 'CHAIN', 'LLM', 'RETRIEVER'][1 + place] AS kind,
    [NULL, 'embed', 'retrieve', 'rerank', 'assemble', 'generate', 'retrieve'][1 + place] AS stage,
    if(chance(i, 40 + place) < 0.005, 'error', 'ok') AS status,
    if(place = 6, lower(hex(asked.trace_id)) || '-' || lower(hex(span_of(i, 2))), NULL) AS probe_id,
    if(place = 5, 'x', NULL) AS provider,
    [NULL, 'mini', NULL, 'cross', NULL, 'large', NULL][1 + place] AS model,
    if(place = 5, 400 + pick(i, 1000), NULL) AS input_tokens,
    if(place = 5, 20 + pick(i + 1, 300), NULL) AS output_tokens,
    CASE place WHEN 1 THEN 0.00001 WHEN 5 THEN 0.002 * exp(bell(i, 37)) END AS cost_usd,
    if(place = 5, 150 * exp(bell(i, 37)), NULL) AS time_to_first_token_ms,
    if(place IN (2, 3, 6), left(texts.said, 60) || ' ' || i, NULL) AS query_text,
    if(place IN (2, 3, 6), 20, NULL) AS top_k,
    if(place IN (2, 3, 6), 'similarity', NULL) AS score_kind,
    if(place IN (2, 6), if(i % 20 = 0, 'unknown', 'known'), NULL) AS filter_state,
    if(place IN (2, 6) AND i % 20 > 0, '{"op":"and","args":[{"op":"eq","field":"tenant","value_hmac":"' || md5((pick(i, 500))::VARCHAR) || '"},{"op":"eq","field":"kind","value":"function"}]}', NULL) AS filter_ast,
    if(place IN (2, 6) AND i % 20 > 0, '[{"path":"/args/0","role":"entitlement","origin":"caller"},{"path":"/args/1","role":"relevance","origin":"rule"}]', NULL) AS filter_clauses,
    if(place = 3, documents.found, NULL) AS input_documents,
    CASE WHEN place IN (2, 6) THEN documents.found WHEN place = 3 THEN documents.kept END AS output_documents,
    0 AS dropped_attributes,
    CASE place
        WHEN 0 THEN '{"gen_ai.conversation.id":"session-' || (i // 3) || '"}'
        WHEN 1 THEN '{"gen_ai.embeddings.dimension.count":384}'
        WHEN 2 THEN '{"ragvigil.index.version":"2026-' || extract(week FROM $day::TIMESTAMP) || '","ragvigil.embedding.version":"3","db.system.name":"qdrant","db.collection.name":"docs"}'
        WHEN 4 THEN '{"ragvigil.context.doc_ids":' || documents.context || ',"ragvigil.context.tokens":812,"ragvigil.context.truncated":false}'
        WHEN 5 THEN '{"gen_ai.response.id":"r-' || i || '","gen_ai.response.model":"large-2026"}'
        WHEN 6 THEN '{"ragvigil.sampling.probability":0.01,"ragvigil.index.version":"2026-' || extract(week FROM $day::TIMESTAMP) || '"}'
        ELSE '{}'
    END AS attributes
FROM (
    SELECT asked.*, place FROM asked CROSS JOIN range(7) AS places(place) WHERE place < 6 OR asked.i % 100 = 0
) AS asked
INNER JOIN texts ON texts.k = pick(i, 4096)
INNER JOIN documents ON documents.k = pick(i + 5, 4096);

INSERT INTO query_vectors BY NAME
SELECT
    trace_id, span_of(i, 1) AS span_id, asked.span_id AS answer_span_id, started_at, 'mini' AS model,
    384 AS dimension, 1.0 AS norm, vectors.unit_f16
FROM asked
INNER JOIN vectors ON vectors.k = pick(i + 9, 1000)
WHERE i % 10 = 0;

INSERT INTO log_events BY NAME
SELECT
    uuid()::VARCHAR AS event_id, 'ragvigil.feedback' AS event_name,
    started_at + INTERVAL 40 SECOND AS occurred_at, started_at + INTERVAL 41 SECOND AS observed_at, service,
    instance_id, trace_id, span_id,
    '{"ragvigil.feedback.kind":"' || ['thumbs_up', 'thumbs_up', 'thumbs_down', 'copy', 'click', 'regenerate'][1 + (pick(i + 21, 6))] || '","ragvigil.answer.id":"answer-' || i || '"}' AS attributes
FROM asked
WHERE chance(i, 45) < 0.1;

INSERT INTO feedback BY NAME
SELECT
    event_id AS feedback_id, number AS event_number, service, attributes ->> '$."ragvigil.feedback.kind"' AS kind,
    occurred_at, observed_at, occurred_at AS given_at, trace_id AS claimed_trace_id, span_id AS claimed_span_id,
    attributes ->> '$."ragvigil.answer.id"' AS claimed_answer_id, occurred_at - INTERVAL 40 SECOND AS claimed_started_at,
    trace_id, span_id AS answer_span_id, occurred_at - INTERVAL 40 SECOND AS answer_started_at
FROM (SELECT * FROM log_events WHERE observed_at >= $day::TIMESTAMP)
WHERE number > (SELECT coalesce(max(event_number), 0) FROM feedback);

INSERT INTO judge_scores BY NAME
SELECT
    trace_id, span_id AS answer_span_id, started_at, 'lexical' AS judge, '1' AS judge_version,
    if(chance(i, 46) < 0.05, NULL, 0.7 + 0.3 * chance(i, 47)) AS score,
    if(chance(i, 46) < 0.05, 'refusal', NULL) AS reason,
    true AS in_sample, 0.1 AS inclusion_probability, started_at + INTERVAL 2 HOUR AS judged_at
FROM asked
WHERE chance(i, 48) < 0.1
UNION ALL BY NAME
SELECT
    trace_id, span_id AS answer_span_id, started_at, 'lexical' AS judge, '1' AS judge_version,
    0.7 + 0.3 * chance(i, 47) AS score, false AS in_sample, started_at + INTERVAL 26 HOUR AS judged_at
FROM asked
WHERE chance(i, 48) >= 0.1 AND chance(i, 49) < 0.02 AND judged_at <= $done_up_to::TIMESTAMP;

INSERT INTO process_counts
SELECT instance_id, any_value(service), any_value(service_version), max(started_at) + INTERVAL 1 MINUTE, 6 * count(*), 6 * count(*), 0, 0
FROM asked
GROUP BY instance_id;

INSERT INTO review_items BY NAME
SELECT
    md5('item' || i) AS item_id, trace_id, span_id, started_at, started_at + INTERVAL 25 HOUR AS decided_at,
    0.02 AS inclusion_probability, 1.0 AS sampling_probability, i % 10 = 0 AS wants_second,
    unhex(md5('seed' || i)) AS seed, '1' AS policy_version, 'a' AS salt_version, 'answer' AS kind
FROM asked
WHERE chance(i, 49) < 0.02
UNION ALL BY NAME
SELECT
    md5('search' || i) AS item_id, trace_id, span_id, started_at, started_at + INTERVAL 2 HOUR AS decided_at,
    0.01 AS inclusion_probability, 1.0 AS sampling_probability, false AS wants_second,
    unhex(md5('seek' || i)) AS seed, '1' AS policy_version, 'a' AS salt_version, 'relevance' AS kind,
    span_of(i, 2) AS retrieval_span_id, trace_of(-i - 1) AS probe_trace_id, span_of(i, 6) AS probe_span_id,
    started_at + INTERVAL 2 SECOND AS probe_started_at
FROM asked
WHERE i % 100 = 0 AND i % 20 > 0 OR i % 1000 = 0;

CREATE OR REPLACE TEMP TABLE drawn AS
SELECT item_id, kind, started_at, decided_at, trace_id, span_id, hash(item_id) AS h
FROM review_items
WHERE started_at >= $day::TIMESTAMP;

INSERT INTO review_frames
SELECT item_id, if(kind = 'answer', 'uniform', 'filter_probe'), 0.02, (h % 1000) / 1000.0 FROM drawn;

-- Reviewers label 120 answers and 60 retrievals a day.
CREATE OR REPLACE TEMP TABLE labelled AS
SELECT *, decided_at + INTERVAL 3 HOUR AS labelled_at
FROM drawn
QUALIFY row_number() OVER (PARTITION BY kind ORDER BY h) <= if(kind = 'answer', 120, 60);

INSERT INTO review_leases
SELECT 'l' || item_id, item_id, 'ada', if(kind = 'answer', 'uniform', 'filter_probe'), labelled_at, labelled_at + INTERVAL 30 MINUTE
FROM labelled;

INSERT INTO review_labels
SELECT 'b' || item_id, 'l' || item_id, item_id, 'ada', if(kind = 'answer', if(h % 8 = 0, 'unsupported', 'supported'), 'relevant'), labelled_at
FROM labelled;

INSERT INTO relevance_labels
SELECT 'b' || item_id, 'module.function_' || (pick(item_id || d, 3000) + 3000 * d), d < 2
FROM labelled, range(6) AS shown(d)
WHERE kind = 'relevance';

INSERT INTO relevance_outcomes BY NAME
SELECT
    item_id, trace_id, span_id AS answer_span_id, started_at, true AS is_filtered, 50 AS depth, 12 AS documents,
    2 AS relevant, true AS has_evidence, h % 30 = 0 AS is_excluded, if(h % 30 = 0, 'filter', 'kept') AS lost_at,
    labelled_at AS decided_at
FROM labelled
WHERE kind = 'relevance';
