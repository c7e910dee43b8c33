-- How many open items, of one kind or of any ($kind NULL), wait for a first label?
SELECT count(*) AS waiting
FROM review_items
WHERE decided_at >= $open_since AND kind = coalesce($kind, kind)
    AND item_id NOT IN (
        SELECT item_id FROM review_labels
        UNION ALL
        SELECT item_id FROM review_skips
        UNION ALL
        SELECT item_id FROM review_leases WHERE expires_at > $now
    );
