-- What was said in the calls of some traces, in log events of a time range?
SELECT trace_id, span_id, event_name, body, attributes
FROM log_events
WHERE occurred_at >= $start::TIMESTAMP AND occurred_at < $end::TIMESTAMP AND span_id IS NOT NULL
    AND list_contains($event_names, event_name) AND trace_id IN (SELECT unnest($trace_ids))
ORDER BY occurred_at;
