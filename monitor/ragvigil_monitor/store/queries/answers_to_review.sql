-- Which answers started in a time range, and with what chance was each recorded?
SELECT trace_id, span_id, started_at, sampling_probability
FROM answers
WHERE started_at >= $start AND started_at < $end;
