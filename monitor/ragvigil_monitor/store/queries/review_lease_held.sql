-- Which item, of one kind or of any ($kind NULL), does a reviewer hold unanswered, the one that was given first?
SELECT leases.item_id, leases.stratum
FROM review_leases AS leases
INNER JOIN review_items AS items ON items.item_id = leases.item_id
WHERE leases.reviewer = $reviewer AND leases.expires_at > $now
    AND items.kind = coalesce($kind, items.kind)
    AND leases.lease_id NOT IN (SELECT lease_id FROM review_labels)
    AND leases.lease_id NOT IN (SELECT lease_id FROM review_skips)
    AND leases.item_id NOT IN (SELECT item_id FROM review_labels WHERE reviewer = $reviewer)
    AND leases.item_id NOT IN (SELECT item_id FROM review_skips)
ORDER BY leases.leased_at
LIMIT 1;
