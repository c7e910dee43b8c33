-- Which open item, of one kind or of any ($kind NULL), that nobody has or had yet comes next in each stratum?
SELECT frames.stratum, min(frames.priority) AS priority, arg_min(frames.item_id, frames.priority) AS item_id
FROM review_items AS items
INNER JOIN review_frames AS frames ON frames.item_id = items.item_id
WHERE items.decided_at >= $open_since AND items.kind = coalesce($kind, items.kind) AND frames.priority < 1
    AND items.item_id NOT IN (
        SELECT item_id FROM review_labels
        UNION ALL
        SELECT item_id FROM review_skips
        UNION ALL
        SELECT item_id FROM review_leases WHERE expires_at > $now
    )
GROUP BY frames.stratum;
