-- Let those of the drawn answers after a number wait that a judge has not judged; all of them started from $earliest to $latest.
INSERT INTO reviews_to_judge
SELECT $judge, $judge_version, trace_id, span_id, started_at
FROM review_items AS items
WHERE kind = 'answer' AND number > $queued_up_to AND number <= $newest
    AND NOT EXISTS (
        SELECT 1
        FROM judge_scores AS scores
        WHERE scores.trace_id = items.trace_id AND scores.answer_span_id = items.span_id
            AND scores.judge = $judge AND scores.judge_version = $judge_version
            AND scores.started_at >= $earliest AND scores.started_at <= $latest
    );
