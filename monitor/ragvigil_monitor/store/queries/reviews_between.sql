-- How far is every drawn item of one kind whose answer started in a time range, stratum by stratum?
SELECT
    frames.item_id, items.started_at::DATE AS started_on, frames.stratum, frames.probability, frames.priority,
    items.sampling_probability, standing.first_label, standing.skips > 0 AS is_skipped,
    coalesce(standing.held_until > $now, false) AS is_held
FROM review_frames AS frames
INNER JOIN review_items AS items ON items.item_id = frames.item_id
INNER JOIN review_standing AS standing ON standing.item_id = frames.item_id
WHERE items.kind = $kind AND items.started_at >= $start AND items.started_at < $end
ORDER BY frames.item_id, frames.stratum;
