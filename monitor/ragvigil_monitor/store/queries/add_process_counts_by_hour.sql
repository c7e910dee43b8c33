-- How far had each process counted at its last report of an hour? Adds a batch; reports may come late or twice.
INSERT INTO process_counts_by_hour BY NAME
SELECT
    instance_id,
    date_trunc('hour', reported_at) AS hour,
    any_value(service) AS service,
    max(batch.reported_at) AS reported_at,
    max(started) AS started,
    max(exported) AS exported,
    arg_max(spooled, batch.reported_at) AS spooled,
    max(dropped) AS dropped,
    false AS is_baseline
FROM batch
GROUP BY instance_id, date_trunc('hour', reported_at)
ON CONFLICT (instance_id, hour) DO UPDATE SET
    reported_at = greatest(process_counts_by_hour.reported_at, excluded.reported_at),
    started = greatest(process_counts_by_hour.started, excluded.started),
    exported = greatest(process_counts_by_hour.exported, excluded.exported),
    spooled = if(
        excluded.reported_at >= process_counts_by_hour.reported_at, excluded.spooled, process_counts_by_hour.spooled
    ),
    dropped = greatest(process_counts_by_hour.dropped, excluded.dropped);
