-- What each process says it began, exported and lost.
SELECT instance_id, service, service_version, reported_at, started, exported, spooled, dropped
FROM process_counts
ORDER BY reported_at DESC;
