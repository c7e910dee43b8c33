-- A reviewer passes an item over.
INSERT INTO review_skips (lease_id, item_id, reviewer, skipped_at)
VALUES ($lease_id, $item_id, $reviewer, $skipped_at);
