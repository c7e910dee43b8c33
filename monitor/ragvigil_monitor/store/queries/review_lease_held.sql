-- Which item does a reviewer hold unanswered, the one that was given first?
SELECT item_id, stratum
FROM review_leases
WHERE reviewer = $reviewer AND expires_at > $now
    AND lease_id NOT IN (SELECT lease_id FROM review_labels)
    AND lease_id NOT IN (SELECT lease_id FROM review_skips)
    AND item_id NOT IN (SELECT item_id FROM review_labels WHERE reviewer = $reviewer)
    AND item_id NOT IN (SELECT item_id FROM review_skips)
ORDER BY leased_at
LIMIT 1;
