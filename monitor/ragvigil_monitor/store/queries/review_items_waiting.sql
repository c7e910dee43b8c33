-- How many open items, of one kind or of any ($kind NULL), could a reviewer be given, for a first label or a second?
WITH labelled AS (
    SELECT item_id, count(*) AS labels, min(label) AS label, bool_or(reviewer = $reviewer) AS is_own
    FROM review_labels
    WHERE labelled_at >= $open_since
    GROUP BY item_id
)
SELECT count(*) AS waiting
FROM review_items AS items
LEFT JOIN labelled ON labelled.item_id = items.item_id
WHERE items.decided_at >= $open_since AND items.kind = coalesce($kind, items.kind)
    AND (
        labelled.item_id IS NULL
        OR (
            items.kind = 'answer' AND labelled.labels = 1 AND NOT labelled.is_own
            AND (items.wants_second OR list_contains($positive, labelled.label))
        )
    )
    AND items.item_id NOT IN (SELECT item_id FROM review_skips)
    AND items.item_id NOT IN (
        SELECT item_id
        FROM review_leases
        WHERE expires_at > $now AND lease_id NOT IN (SELECT lease_id FROM review_labels)
    );
