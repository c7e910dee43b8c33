-- What went to an Arize Phoenix beside Ragvigil.

-- Spans picked for it, cumulative, one row for each run of the service. What waited when a run was last counted, and the
-- run is over, was lost with its process.
CREATE TABLE phoenix_runs (
    started_at TIMESTAMP PRIMARY KEY,
    counted_at TIMESTAMP NOT NULL,
    forwarded BIGINT NOT NULL,
    waiting BIGINT NOT NULL,
    dropped BIGINT NOT NULL,
    refused BIGINT NOT NULL
);
