-- Which answers of a time range got a thumbs-down before a moment? Feedback names its answer by span or by id.
WITH disliked AS (
    SELECT trace_id, span_id, attributes ->> '$."ragvigil.answer.id"' AS answer_id
    FROM log_events
    WHERE occurred_at >= $start AND occurred_at < $known_before
        AND event_name = 'ragvigil.feedback'
        AND attributes ->> '$."ragvigil.feedback.kind"' = 'thumbs_down'
),
judged AS (
    SELECT trace_id, span_id, answer_id FROM answers WHERE started_at >= $start AND started_at < $end
)
SELECT judged.trace_id, judged.span_id
FROM judged
INNER JOIN disliked ON disliked.trace_id = judged.trace_id AND disliked.span_id = judged.span_id
UNION
SELECT judged.trace_id, judged.span_id FROM judged INNER JOIN disliked ON disliked.answer_id = judged.answer_id;
