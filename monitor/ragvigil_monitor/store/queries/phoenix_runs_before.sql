-- What became of the spans that earlier runs picked for Phoenix? What still waited at their end was lost.
SELECT
    coalesce(sum(forwarded), 0)::BIGINT AS forwarded,
    coalesce(sum(dropped + waiting), 0)::BIGINT AS dropped,
    coalesce(sum(refused), 0)::BIGINT AS refused
FROM phoenix_runs
WHERE started_at <> $started_at::TIMESTAMP;
