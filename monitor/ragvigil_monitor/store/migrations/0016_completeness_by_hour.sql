-- The last cumulative counters that each process reported in an hour. A baseline is only what the next hour is counted
-- from: what its own counters cover is not known.
CREATE TABLE process_counts_by_hour (
    instance_id VARCHAR NOT NULL,
    hour TIMESTAMP NOT NULL,
    service VARCHAR NOT NULL,
    reported_at TIMESTAMP NOT NULL,
    started BIGINT NOT NULL,
    exported BIGINT NOT NULL,
    spooled BIGINT NOT NULL,
    dropped BIGINT NOT NULL,
    is_baseline BOOLEAN NOT NULL,
    PRIMARY KEY (instance_id, hour)
);

INSERT INTO process_counts_by_hour BY NAME
SELECT
    instance_id,
    date_trunc('hour', reported_at) AS hour,
    service,
    reported_at,
    started,
    exported,
    spooled,
    dropped,
    true AS is_baseline
FROM process_counts;
