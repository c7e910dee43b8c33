-- How far has each process counted? Adds a batch; reports may come late or twice. Counters only grow, but for spooled:
-- what is lost on disk is no longer counted there, so the newest report tells it.
INSERT INTO process_counts BY NAME
SELECT
    instance_id,
    any_value(service) AS service,
    any_value(service_version) AS service_version,
    max(reported_at) AS reported_at,
    max(started) AS started,
    max(exported) AS exported,
    arg_max(spooled, reported_at) AS spooled,
    max(dropped) AS dropped
FROM batch
GROUP BY instance_id
ON CONFLICT (instance_id) DO UPDATE SET
    reported_at = greatest(process_counts.reported_at, excluded.reported_at),
    started = greatest(process_counts.started, excluded.started),
    exported = greatest(process_counts.exported, excluded.exported),
    spooled = if(excluded.reported_at >= process_counts.reported_at, excluded.spooled, process_counts.spooled),
    dropped = greatest(process_counts.dropped, excluded.dropped);
