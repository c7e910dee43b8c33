-- Two kinds of items are reviewed: `answer` (do the documents carry what it says?) and `relevance` (which documents are
-- relevant to the question?).

ALTER TABLE review_items ADD COLUMN kind VARCHAR DEFAULT 'answer';

-- A relevance item is about one retrieval of its answer. probe_*: the same search without relevance clauses, in a trace
-- of its own; NULL for a retrieval that had no such clause.
ALTER TABLE review_items ADD COLUMN retrieval_span_id BLOB;
ALTER TABLE review_items ADD COLUMN probe_trace_id BLOB;
ALTER TABLE review_items ADD COLUMN probe_span_id BLOB;
ALTER TABLE review_items ADD COLUMN probe_started_at TIMESTAMP;

-- What a label of a relevance item says of each document that was shown. Its row in review_labels sums it up:
-- 'relevant' (at least one) or 'none_relevant'.
CREATE TABLE relevance_labels (
    label_id VARCHAR NOT NULL,
    document_id VARCHAR NOT NULL,
    is_relevant BOOLEAN NOT NULL,
    PRIMARY KEY (label_id, document_id)
);

-- What the first label of a relevance item means. has_evidence: a relevant document that the user may see was found by
-- the retrieval or by its probe. is_excluded: each of them was kept out by the relevance clauses. NULL: not known, and
-- unknown_because says why. lost_at: the first stage after which none of the relevant documents was left (filter,
-- retrieve, rerank, context, citation), 'kept' where one was cited; NULL without evidence or where it is not known.
-- depth: how deep the probe looked (K), or k of the retrieval.
CREATE TABLE relevance_outcomes (
    item_id VARCHAR PRIMARY KEY,
    trace_id BLOB NOT NULL,
    answer_span_id BLOB NOT NULL,
    started_at TIMESTAMP NOT NULL,
    is_filtered BOOLEAN NOT NULL,
    depth INTEGER,
    documents INTEGER NOT NULL,
    relevant INTEGER NOT NULL,
    has_evidence BOOLEAN,
    is_excluded BOOLEAN,
    lost_at VARCHAR,
    unknown_because VARCHAR,
    decided_at TIMESTAMP NOT NULL
);
