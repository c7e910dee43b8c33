-- Blind review: which answers were drawn, who was given them, what they said. Rows are only ever added.

-- One decision about all answers of an hour in one stratum: how many it held and how many were taken.
CREATE TABLE review_rounds (
    decided_at TIMESTAMP NOT NULL,
    stratum VARCHAR NOT NULL,
    answers_start TIMESTAMP NOT NULL,
    answers_end TIMESTAMP NOT NULL,
    probability DOUBLE NOT NULL,
    frame BIGINT NOT NULL,
    taken BIGINT NOT NULL,
    policy_version VARCHAR NOT NULL,
    salt_version VARCHAR NOT NULL,
    PRIMARY KEY (decided_at, stratum)
);

-- An answer that at least one stratum took. inclusion_probability is 1 - Π (1 - p) over the strata that hold it, times
-- sampling_probability, with which the application recorded it at all.
CREATE TABLE review_items (
    item_id VARCHAR PRIMARY KEY,
    trace_id BLOB NOT NULL,
    span_id BLOB NOT NULL,
    started_at TIMESTAMP NOT NULL,
    decided_at TIMESTAMP NOT NULL,
    inclusion_probability DOUBLE NOT NULL,
    sampling_probability DOUBLE NOT NULL,
    wants_second BOOLEAN NOT NULL,
    seed BLOB NOT NULL,
    policy_version VARCHAR NOT NULL,
    salt_version VARCHAR NOT NULL
);

-- The strata that hold an item. priority is u / p: below 1 the stratum took it.
CREATE TABLE review_frames (
    item_id VARCHAR NOT NULL,
    stratum VARCHAR NOT NULL,
    probability DOUBLE NOT NULL,
    priority DOUBLE NOT NULL,
    PRIMARY KEY (item_id, stratum)
);

CREATE TABLE review_leases (
    lease_id VARCHAR PRIMARY KEY,
    item_id VARCHAR NOT NULL,
    reviewer VARCHAR NOT NULL,
    stratum VARCHAR NOT NULL,
    leased_at TIMESTAMP NOT NULL,
    expires_at TIMESTAMP NOT NULL
);

CREATE TABLE review_labels (
    label_id VARCHAR PRIMARY KEY,
    lease_id VARCHAR NOT NULL UNIQUE,
    item_id VARCHAR NOT NULL,
    reviewer VARCHAR NOT NULL,
    label VARCHAR NOT NULL,
    labelled_at TIMESTAMP NOT NULL
);

CREATE TABLE review_skips (
    lease_id VARCHAR PRIMARY KEY,
    item_id VARCHAR NOT NULL,
    reviewer VARCHAR NOT NULL,
    skipped_at TIMESTAMP NOT NULL
);

-- How far each item is: labels and skips so far, the label that came first, and until when somebody holds it.
CREATE VIEW review_standing AS
WITH labelled AS (
    SELECT item_id, count(*) AS labels, arg_min(label, labelled_at) AS first_label
    FROM review_labels
    GROUP BY item_id
),
skipped AS (
    SELECT item_id, count(*) AS skips FROM review_skips GROUP BY item_id
),
held AS (
    SELECT item_id, max(expires_at) AS held_until
    FROM review_leases
    WHERE lease_id NOT IN (SELECT lease_id FROM review_labels) AND lease_id NOT IN (SELECT lease_id FROM review_skips)
    GROUP BY item_id
)
SELECT
    items.item_id, coalesce(labels, 0) AS labels, first_label, coalesce(skips, 0) AS skips, held_until
FROM review_items AS items
LEFT JOIN labelled ON labelled.item_id = items.item_id
LEFT JOIN skipped ON skipped.item_id = items.item_id
LEFT JOIN held ON held.item_id = items.item_id;
