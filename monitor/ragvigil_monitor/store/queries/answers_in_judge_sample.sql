-- Which answers that started in a time range are in the judged sample?
SELECT DISTINCT trace_id, answer_span_id
FROM judge_scores
WHERE in_sample AND started_at >= $start AND started_at < $end;
