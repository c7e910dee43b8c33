-- Which open answer, labelled by one other reviewer, comes next for a second label in each stratum? One that was drawn
-- for it or where the first reviewer found a fault, and that nobody holds.
WITH labelled AS (
    SELECT item_id, min(label) AS label, min(reviewer) AS reviewer
    FROM review_labels
    WHERE labelled_at >= $open_since
    GROUP BY item_id
    HAVING count(*) = 1
)
SELECT frames.stratum, min(frames.priority) AS priority, arg_min(frames.item_id, frames.priority) AS item_id
FROM review_items AS items
INNER JOIN labelled ON labelled.item_id = items.item_id
INNER JOIN review_frames AS frames ON frames.item_id = items.item_id
WHERE items.decided_at >= $open_since AND items.kind = 'answer' AND frames.priority < 1
    AND labelled.reviewer <> $reviewer
    AND (items.wants_second OR list_contains($positive, labelled.label))
    AND items.item_id NOT IN (SELECT item_id FROM review_skips)
    AND items.item_id NOT IN (
        SELECT item_id
        FROM review_leases
        WHERE expires_at > $now AND lease_id NOT IN (SELECT lease_id FROM review_labels)
    )
GROUP BY frames.stratum;
