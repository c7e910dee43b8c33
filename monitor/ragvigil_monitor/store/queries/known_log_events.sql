-- Which events of a batch are already stored, among those that occurred in a time range?
SELECT batch.event_id
FROM batch
SEMI JOIN (
    SELECT event_id FROM log_events WHERE occurred_at BETWEEN $earliest AND $latest
) AS stored ON stored.event_id = batch.event_id;
