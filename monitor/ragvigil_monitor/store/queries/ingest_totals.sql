-- What became of received items, by service?
SELECT service, outcome, sum(items)::BIGINT AS items
FROM ingest_counts
GROUP BY service, outcome
ORDER BY service, outcome;
