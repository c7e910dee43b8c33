-- What is known of the reviewed retrievals of a trace, and which documents did the first label call relevant?
WITH first_labels AS (
    SELECT labels.item_id, labels.label_id
    FROM review_labels AS labels
    WHERE labels.item_id IN (SELECT item_id FROM relevance_outcomes WHERE trace_id = $trace_id)
    QUALIFY row_number() OVER (PARTITION BY labels.item_id ORDER BY labels.labelled_at, labels.label_id) = 1
)
SELECT
    outcomes.trace_id, outcomes.answer_span_id, outcomes.started_at, items.retrieval_span_id, outcomes.is_filtered,
    outcomes.depth, outcomes.documents, outcomes.has_evidence, outcomes.is_excluded, outcomes.lost_at,
    outcomes.unknown_because,
    coalesce(list(said.document_id ORDER BY said.document_id) FILTER (said.is_relevant), []) AS relevant
FROM relevance_outcomes AS outcomes
INNER JOIN review_items AS items ON items.item_id = outcomes.item_id
INNER JOIN first_labels ON first_labels.item_id = outcomes.item_id
LEFT JOIN relevance_labels AS said ON said.label_id = first_labels.label_id
WHERE outcomes.trace_id = $trace_id
GROUP BY ALL
ORDER BY outcomes.started_at, items.retrieval_span_id;
