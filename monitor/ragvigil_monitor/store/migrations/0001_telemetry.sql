-- What applications sent. Every TIMESTAMP is UTC. Spans have no primary key and no index: duplicates are
-- recognised by an anti-join inside the time range of a batch. A duration is NULL where the times sent are impossible.

CREATE TABLE spans (
    trace_id BLOB NOT NULL,
    span_id BLOB NOT NULL,
    parent_span_id BLOB,
    answer_span_id BLOB,
    started_at TIMESTAMP NOT NULL,
    duration_ms DOUBLE,
    service VARCHAR NOT NULL,
    service_version VARCHAR,
    instance_id VARCHAR,
    name VARCHAR NOT NULL,
    kind VARCHAR,
    stage VARCHAR,
    status VARCHAR NOT NULL,
    status_message VARCHAR,
    probe_id VARCHAR,
    provider VARCHAR,
    model VARCHAR,
    input_tokens BIGINT,
    output_tokens BIGINT,
    cached_tokens BIGINT,
    cost_usd DOUBLE,
    time_to_first_token_ms DOUBLE,
    embedding_cache_hit BOOLEAN,
    retrieval_cache_hit BOOLEAN,
    answer_cache_hit BOOLEAN,
    query_text VARCHAR,
    top_k INTEGER,
    score_kind VARCHAR,
    filter_state VARCHAR,
    filter_ast JSON,
    filter_clauses JSON,
    input_documents JSON,
    output_documents JSON,
    dropped_attributes INTEGER NOT NULL,
    attributes JSON
);

CREATE TABLE answers (
    trace_id BLOB NOT NULL,
    span_id BLOB NOT NULL,
    answer_id VARCHAR NOT NULL,
    started_at TIMESTAMP NOT NULL,
    duration_ms DOUBLE,
    service VARCHAR NOT NULL,
    service_version VARCHAR,
    status VARCHAR NOT NULL,
    session_id VARCHAR,
    user_id VARCHAR,
    intent VARCHAR,
    slices JSON,
    question VARCHAR,
    answer VARCHAR,
    citations JSON,
    refusal BOOLEAN,
    confidence DOUBLE,
    regeneration_of VARCHAR,
    sampling_probability DOUBLE NOT NULL
);

-- The unit vector as little-endian float16 beside its original norm: 2 × dimension bytes.
CREATE TABLE query_vectors (
    trace_id BLOB NOT NULL,
    span_id BLOB NOT NULL,
    answer_span_id BLOB,
    started_at TIMESTAMP NOT NULL,
    model VARCHAR,
    dimension INTEGER NOT NULL,
    norm FLOAT NOT NULL,
    unit_f16 BLOB NOT NULL
);

CREATE TABLE log_events (
    event_id VARCHAR NOT NULL,
    event_name VARCHAR NOT NULL,
    occurred_at TIMESTAMP NOT NULL,
    observed_at TIMESTAMP NOT NULL,
    service VARCHAR NOT NULL,
    instance_id VARCHAR,
    trace_id BLOB,
    span_id BLOB,
    body VARCHAR,
    attributes JSON
);

-- The newest cumulative counters that each process reported.
CREATE TABLE process_counts (
    instance_id VARCHAR PRIMARY KEY,
    service VARCHAR NOT NULL,
    service_version VARCHAR,
    reported_at TIMESTAMP NOT NULL,
    started BIGINT NOT NULL,
    exported BIGINT NOT NULL,
    spooled BIGINT NOT NULL,
    dropped BIGINT NOT NULL
);

-- What became of everything received: outcome is 'spans_committed', 'spans_duplicate', 'logs_committed', … or
-- 'rejected_<reason>' / 'flawed_<reason>'.
CREATE TABLE ingest_counts (
    hour TIMESTAMP NOT NULL,
    service VARCHAR NOT NULL,
    outcome VARCHAR NOT NULL,
    items BIGINT NOT NULL,
    PRIMARY KEY (hour, service, outcome)
);
