-- Which log records are of a time range?
SELECT
    event_id,
    event_name,
    epoch_us(occurred_at) AS occurred_us,
    epoch_us(observed_at) AS observed_us,
    service,
    NULL::VARCHAR AS service_version,
    instance_id,
    lower(hex(trace_id)) AS trace_id,
    lower(hex(span_id)) AS span_id,
    body,
    attributes
FROM log_events
WHERE occurred_at >= $start::TIMESTAMP AND occurred_at < $end::TIMESTAMP;
