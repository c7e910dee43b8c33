-- Which answers that started in a time range may be judged, and what did they say?
SELECT trace_id, span_id, started_at, sampling_probability, refusal, answer
FROM answers
WHERE started_at >= $start AND started_at < $end
ORDER BY started_at, trace_id, span_id;
