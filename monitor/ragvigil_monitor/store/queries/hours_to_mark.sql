-- Which of some hours, in microseconds since the epoch, have been passed and are not marked as stale yet?
SELECT hour_us
FROM (SELECT unnest($hours_us::BIGINT[]) AS hour_us)
WHERE make_timestamp(hour_us) <= (SELECT max(hour) FROM summed_hours)
    AND make_timestamp(hour_us) NOT IN (SELECT hour FROM summed_hours WHERE state IN ('stale', 'added_to'));
