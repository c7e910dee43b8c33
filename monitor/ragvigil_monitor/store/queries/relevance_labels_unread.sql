-- What does the first label say of each relevance item that has no outcome yet, the oldest answers first?
WITH first_labels AS (
    SELECT labels.item_id, labels.label_id
    FROM review_labels AS labels
    INNER JOIN review_items AS items ON items.item_id = labels.item_id
    WHERE items.kind = 'relevance' AND labels.labelled_at <= $now
        AND labels.item_id NOT IN (SELECT item_id FROM relevance_outcomes)
    QUALIFY row_number() OVER (PARTITION BY labels.item_id ORDER BY labels.labelled_at, labels.label_id) = 1
)
SELECT
    items.item_id, items.trace_id, items.span_id AS answer_span_id, items.started_at, items.retrieval_span_id,
    items.probe_trace_id, items.probe_span_id, items.probe_started_at,
    coalesce(list(said.document_id) FILTER (said.document_id IS NOT NULL), []) AS shown,
    coalesce(list(said.document_id) FILTER (said.is_relevant), []) AS relevant
FROM first_labels
INNER JOIN review_items AS items ON items.item_id = first_labels.item_id
LEFT JOIN relevance_labels AS said ON said.label_id = first_labels.label_id
GROUP BY ALL
ORDER BY items.started_at, items.item_id;
