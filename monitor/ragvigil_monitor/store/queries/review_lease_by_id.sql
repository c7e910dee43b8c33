-- Whose lease is it, until when, and has this reviewer answered the item, under this lease or another?
SELECT
    item_id, reviewer, expires_at,
    EXISTS (FROM review_labels WHERE item_id = $item_id AND reviewer = $reviewer)
    OR EXISTS (FROM review_skips WHERE item_id = $item_id AND reviewer = $reviewer) AS is_answered
FROM review_leases
WHERE lease_id = $lease_id;
