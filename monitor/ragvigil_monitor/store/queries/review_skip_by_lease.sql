-- Was this lease answered by a skip?
SELECT lease_id, item_id, reviewer, skipped_at FROM review_skips WHERE lease_id = $lease_id;
