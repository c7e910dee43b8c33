-- Which processes reported their counters last in a time range?
SELECT instance_id, service, service_version, epoch_us(reported_at) AS reported_us, started, exported, spooled, dropped
FROM process_counts
WHERE reported_at >= $start::TIMESTAMP AND reported_at < $end::TIMESTAMP;
