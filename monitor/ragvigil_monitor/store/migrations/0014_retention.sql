-- How many spans that a process had reported were removed for their age: what it reports counts them still.
CREATE TABLE spans_removed (
    instance_id VARCHAR NOT NULL,
    service VARCHAR NOT NULL,
    spans BIGINT NOT NULL,
    PRIMARY KEY (instance_id, service)
);

-- The traces that somebody judged, probes included: they are kept as long as the labels.
CREATE VIEW reviewed_traces AS
SELECT items.trace_id
FROM review_items AS items
WHERE EXISTS (FROM review_labels AS labels WHERE labels.item_id = items.item_id)
UNION
SELECT items.probe_trace_id
FROM review_items AS items
WHERE items.probe_trace_id IS NOT NULL
    AND EXISTS (FROM review_labels AS labels WHERE labels.item_id = items.item_id);
