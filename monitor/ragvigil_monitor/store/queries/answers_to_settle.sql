-- Which answers do some traces have in a time range? is_used: somebody reviews one, or a judge has scored it.
SELECT
    trace_id,
    span_id,
    answer_id,
    started_at,
    EXISTS (
        FROM review_items AS items
        WHERE items.trace_id = answers.trace_id AND items.span_id = answers.span_id
            AND items.started_at >= $start::TIMESTAMP AND items.started_at < $end::TIMESTAMP
    )
    OR EXISTS (
        FROM judge_scores AS scores
        WHERE scores.trace_id = answers.trace_id AND scores.answer_span_id = answers.span_id
            AND scores.started_at >= $start::TIMESTAMP AND scores.started_at < $end::TIMESTAMP
    ) AS is_used
FROM answers
WHERE started_at >= $start::TIMESTAMP AND started_at < $end::TIMESTAMP AND trace_id IN (SELECT unnest($trace_ids));
