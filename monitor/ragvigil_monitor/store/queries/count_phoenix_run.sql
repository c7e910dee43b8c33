-- How many spans did this run of the service pick for Phoenix so far, and what became of them?
INSERT INTO phoenix_runs (started_at, counted_at, forwarded, waiting, dropped, refused)
VALUES ($started_at, $counted_at, $forwarded, $waiting, $dropped, $refused)
ON CONFLICT (started_at) DO UPDATE SET
    counted_at = excluded.counted_at,
    forwarded = excluded.forwarded,
    waiting = excluded.waiting,
    dropped = excluded.dropped,
    refused = excluded.refused;
