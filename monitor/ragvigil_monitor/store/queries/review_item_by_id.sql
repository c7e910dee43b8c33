-- Which answer is an item, and what is its seed?
SELECT item_id, trace_id, span_id, started_at, seed FROM review_items WHERE item_id = $item_id;
