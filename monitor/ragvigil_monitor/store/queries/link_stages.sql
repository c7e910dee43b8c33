-- Which answer do spans belong to whose ancestors came in another request? The nearest ancestor that has an answer.
-- UNION, not UNION ALL: parents that form a circle end the climb.
WITH RECURSIVE unlinked AS (
    SELECT trace_id, span_id, parent_span_id
    FROM spans
    WHERE answer_span_id IS NULL AND parent_span_id IS NOT NULL
        AND started_at >= $earliest::TIMESTAMP AND started_at <= $latest::TIMESTAMP
),
climb AS (
    SELECT trace_id, span_id, parent_span_id AS ancestor_id FROM unlinked
    UNION
    SELECT climb.trace_id, climb.span_id, unlinked.parent_span_id
    FROM climb
    INNER JOIN unlinked ON unlinked.trace_id = climb.trace_id AND unlinked.span_id = climb.ancestor_id
),
linked AS (
    SELECT climb.trace_id, climb.span_id, any_value(spans.answer_span_id) AS answer_span_id
    FROM climb
    INNER JOIN spans ON spans.trace_id = climb.trace_id AND spans.span_id = climb.ancestor_id
    WHERE spans.answer_span_id IS NOT NULL
        AND spans.started_at >= $earliest::TIMESTAMP - INTERVAL 1 HOUR AND spans.started_at <= $latest::TIMESTAMP
    GROUP BY ALL
)
UPDATE spans
SET answer_span_id = linked.answer_span_id
FROM linked
WHERE spans.trace_id = linked.trace_id AND spans.span_id = linked.span_id
    AND spans.started_at >= $earliest::TIMESTAMP AND spans.started_at <= $latest::TIMESTAMP;
