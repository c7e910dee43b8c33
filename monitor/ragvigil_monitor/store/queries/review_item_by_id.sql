-- Which answer or retrieval is an item about, and what is its seed?
SELECT
    item_id, kind, trace_id, span_id, started_at, retrieval_span_id, probe_trace_id, probe_span_id, probe_started_at,
    seed
FROM review_items
WHERE item_id = $item_id;
