-- Which label has this id?
SELECT label_id, lease_id, item_id, reviewer, label, labelled_at FROM review_labels WHERE label_id = $label_id;
