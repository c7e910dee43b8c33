-- Which open item, of one kind or of any ($kind NULL), comes next for a reviewer in each stratum? One that nobody
-- holds, that they have not seen, and that wants a label, or a second one.
SELECT frames.stratum, arg_min(frames.item_id, frames.priority) AS item_id
FROM review_frames AS frames
INNER JOIN review_items AS items ON items.item_id = frames.item_id
INNER JOIN review_standing AS standing ON standing.item_id = frames.item_id
WHERE frames.priority < 1
    AND items.decided_at >= $open_since
    AND items.kind = coalesce($kind, items.kind)
    AND (standing.held_until IS NULL OR standing.held_until <= $now)
    AND standing.skips = 0
    AND standing.labels < CASE
        WHEN items.wants_second OR list_contains($positive, standing.first_label) THEN 2 ELSE 1
    END
    AND frames.item_id NOT IN (SELECT item_id FROM review_labels WHERE reviewer = $reviewer)
GROUP BY frames.stratum;
