-- Which answer do spans belong to whose ancestors came in another request? The nearest ancestor that has an answer.
-- Down from the spans that have one, so that each is reached once, however deep a trace is: parents that form a circle
-- are not reached.
WITH RECURSIVE unlinked AS (
    SELECT trace_id, span_id, parent_span_id
    FROM spans
    WHERE answer_span_id IS NULL AND parent_span_id IS NOT NULL
        AND started_at >= $earliest::TIMESTAMP AND started_at <= $latest::TIMESTAMP
),
linked AS (
    SELECT unlinked.trace_id, unlinked.span_id, any_value(spans.answer_span_id) AS answer_span_id
    FROM unlinked
    INNER JOIN spans ON spans.trace_id = unlinked.trace_id AND spans.span_id = unlinked.parent_span_id
    WHERE spans.answer_span_id IS NOT NULL
        AND spans.started_at >= $earliest::TIMESTAMP - INTERVAL 1 HOUR AND spans.started_at <= $latest::TIMESTAMP
    GROUP BY ALL
    UNION
    SELECT unlinked.trace_id, unlinked.span_id, linked.answer_span_id
    FROM linked
    INNER JOIN unlinked ON unlinked.trace_id = linked.trace_id AND unlinked.parent_span_id = linked.span_id
)
UPDATE spans
SET answer_span_id = linked.answer_span_id
FROM linked
WHERE spans.trace_id = linked.trace_id AND spans.span_id = linked.span_id
    AND spans.started_at >= $earliest::TIMESTAMP AND spans.started_at <= $latest::TIMESTAMP;
