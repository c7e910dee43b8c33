-- Remove the scores of answers from before a time, but for those that somebody judged.
DELETE FROM judge_scores
WHERE started_at < $before AND trace_id NOT IN (SELECT trace_id FROM reviewed_traces);
