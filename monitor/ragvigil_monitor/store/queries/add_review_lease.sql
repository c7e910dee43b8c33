-- An item is given to a reviewer.
INSERT INTO review_leases (lease_id, item_id, reviewer, stratum, leased_at, expires_at)
VALUES ($lease_id, $item_id, $reviewer, $stratum, $leased_at, $expires_at);
