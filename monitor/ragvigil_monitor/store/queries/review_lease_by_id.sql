-- Whose lease is it, until when, and has it been answered?
SELECT
    leases.item_id, leases.reviewer, leases.expires_at,
    labels.label_id IS NOT NULL OR skips.lease_id IS NOT NULL AS is_answered
FROM review_leases AS leases
LEFT JOIN review_labels AS labels ON labels.lease_id = leases.lease_id
LEFT JOIN review_skips AS skips ON skips.lease_id = leases.lease_id
WHERE leases.lease_id = $lease_id;
