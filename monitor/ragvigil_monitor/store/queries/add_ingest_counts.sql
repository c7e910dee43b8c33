-- What became of everything received? Adds the outcomes of a batch to the hour.
INSERT INTO ingest_counts BY NAME
SELECT date_trunc('hour', $received_at::TIMESTAMP) AS hour, service, outcome, items FROM batch
ON CONFLICT (hour, service, outcome) DO UPDATE SET items = ingest_counts.items + excluded.items;
