-- How many spans of a trace are stored, of any kind, and when did the first start?
SELECT count(*) AS spans, min(started_at) AS first_started_at
FROM spans
WHERE trace_id = $trace_id AND started_at >= $start AND started_at < $end;
