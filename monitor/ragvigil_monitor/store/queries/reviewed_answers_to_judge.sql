-- Which answers that started before a time are drawn for blind review, and not yet judged by this judge? Newest first.
SELECT trace_id, span_id, started_at
FROM review_items AS items
WHERE kind = 'answer' AND started_at < $end
    AND NOT EXISTS (
        SELECT 1
        FROM judge_scores AS scores
        WHERE scores.trace_id = items.trace_id AND scores.answer_span_id = items.span_id
            AND scores.judge = $judge AND scores.judge_version = $judge_version
    )
ORDER BY started_at DESC, trace_id, span_id
LIMIT $most;
