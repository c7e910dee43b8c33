-- What the monitor concluded. Derived from 0001 and configuration, except what a person did.

CREATE TABLE job_watermarks (
    job VARCHAR PRIMARY KEY,
    done_up_to TIMESTAMP NOT NULL
);

-- A job is here while it fails, and only then.
CREATE TABLE job_problems (
    job VARCHAR PRIMARY KEY,
    failing_since TIMESTAMP NOT NULL,
    failed_at TIMESTAMP NOT NULL,
    failures BIGINT NOT NULL,
    error VARCHAR NOT NULL
);

CREATE TABLE releases (
    service VARCHAR NOT NULL,
    service_version VARCHAR NOT NULL,
    first_seen_at TIMESTAMP NOT NULL,
    PRIMARY KEY (service, service_version)
);

-- One row a look: signal, series (a stage, or mean / p50 / p99), the window that it looked at and what it found.
-- value NULL with n = 0 is missing evidence; lower and upper are the 95 % interval, alarm_lower the bound at the
-- level that the false-alarm budget leaves to one look.
CREATE TABLE estimates (
    signal VARCHAR NOT NULL,
    series VARCHAR NOT NULL,
    window_end TIMESTAMP NOT NULL,
    window_s INTEGER NOT NULL,
    value DOUBLE,
    lower DOUBLE,
    upper DOUBLE,
    alarm_lower DOUBLE,
    limit_value DOUBLE,
    unit VARCHAR NOT NULL,
    n BIGINT NOT NULL,
    missing BIGINT NOT NULL,
    state VARCHAR NOT NULL,
    PRIMARY KEY (signal, series, window_s, window_end)
);

-- The present state of each guardrail and series.
CREATE TABLE guardrail_states (
    guardrail VARCHAR NOT NULL,
    series VARCHAR NOT NULL,
    state VARCHAR NOT NULL,
    since TIMESTAMP NOT NULL,
    evaluated_at TIMESTAMP NOT NULL,
    sentence VARCHAR NOT NULL,
    PRIMARY KEY (guardrail, series)
);

CREATE TABLE alerts (
    alert_id VARCHAR PRIMARY KEY,
    guardrail VARCHAR NOT NULL,
    series VARCHAR NOT NULL,
    state VARCHAR NOT NULL,
    opened_at TIMESTAMP NOT NULL,
    onset_at TIMESTAMP,
    onset_earliest TIMESTAMP,
    onset_latest TIMESTAMP,
    last_breach_at TIMESTAMP NOT NULL,
    in_control_since TIMESTAMP,
    resolved_at TIMESTAMP,
    acknowledged_at TIMESTAMP,
    acknowledged_by VARCHAR,
    acknowledged_note VARCHAR,
    silenced_until TIMESTAMP,
    sentence VARCHAR NOT NULL,
    evidence JSON NOT NULL
);

-- The outbox of notifications, written with the transition that each announces. state is 'pending', 'delivered',
-- 'given_up' (after the last attempt) or 'withheld' (nobody had to be told any more); only 'pending' has a next attempt.
CREATE TABLE deliveries (
    delivery_id VARCHAR PRIMARY KEY,
    alert_id VARCHAR NOT NULL,
    channel VARCHAR NOT NULL,
    transition VARCHAR NOT NULL,
    state VARCHAR NOT NULL,
    payload VARCHAR NOT NULL,
    created_at TIMESTAMP NOT NULL,
    attempts INTEGER NOT NULL,
    next_attempt_at TIMESTAMP,
    delivered_at TIMESTAMP,
    last_error VARCHAR
);

CREATE TABLE audit (
    happened_at TIMESTAMP NOT NULL,
    role VARCHAR NOT NULL,
    actor VARCHAR NOT NULL,
    action VARCHAR NOT NULL,
    subject VARCHAR NOT NULL
);
