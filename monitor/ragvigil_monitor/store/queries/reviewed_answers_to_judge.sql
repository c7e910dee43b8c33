-- Which of the answers that wait to be judged started before a time? Newest first.
SELECT trace_id, span_id, started_at
FROM reviews_to_judge
WHERE started_at < $end AND judge = $judge AND judge_version = $judge_version
ORDER BY started_at DESC, trace_id, span_id
LIMIT $most;
