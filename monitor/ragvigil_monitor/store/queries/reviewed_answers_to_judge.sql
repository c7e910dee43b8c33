-- Which answers that started before a time are drawn for blind review, and not yet judged by this judge? Newest first.
SELECT items.trace_id, items.span_id, items.started_at, answers.refusal, answers.answer
FROM review_items AS items
INNER JOIN answers
    ON answers.trace_id = items.trace_id AND answers.span_id = items.span_id AND answers.started_at = items.started_at
WHERE items.kind = 'answer' AND items.started_at < $end
    AND NOT EXISTS (
        SELECT 1
        FROM judge_scores AS scores
        WHERE scores.trace_id = items.trace_id AND scores.answer_span_id = items.span_id
            AND scores.judge = $judge AND scores.judge_version = $judge_version
    )
ORDER BY items.started_at DESC, items.trace_id, items.span_id
LIMIT $most;
