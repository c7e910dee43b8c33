-- How many open retrievals wait for their label? They are labelled once, so that every reviewer could be given them.
SELECT count(*) AS waiting
FROM review_items
WHERE decided_at >= $open_since AND kind = 'relevance'
    AND item_id NOT IN (
        SELECT item_id FROM review_labels
        UNION ALL
        SELECT item_id FROM review_skips
        UNION ALL
        SELECT item_id FROM review_leases WHERE expires_at > $now
    );
