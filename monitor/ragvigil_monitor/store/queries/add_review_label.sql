-- A reviewer labels an item.
INSERT INTO review_labels (label_id, lease_id, item_id, reviewer, label, labelled_at)
VALUES ($label_id, $lease_id, $item_id, $reviewer, $label, $labelled_at);
