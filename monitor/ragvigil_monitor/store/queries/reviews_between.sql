-- How far was, at a moment, every drawn item of one kind whose answer started in a time range, stratum by stratum?
WITH items AS (
    SELECT item_id, started_at, sampling_probability
    FROM review_items
    WHERE kind = $kind AND started_at >= $start AND started_at < $end
),
labelled AS (
    SELECT item_id, arg_min(label, (labelled_at, label_id)) AS first_label
    FROM review_labels
    WHERE labelled_at <= $now
    GROUP BY item_id
),
skipped AS (
    SELECT DISTINCT item_id FROM review_skips WHERE skipped_at <= $now
),
held AS (
    SELECT DISTINCT item_id
    FROM review_leases
    WHERE leased_at <= $now AND expires_at > $now
        AND lease_id NOT IN (
            SELECT lease_id FROM review_labels WHERE labelled_at <= $now
            UNION ALL
            SELECT lease_id FROM review_skips WHERE skipped_at <= $now
        )
)
SELECT
    frames.item_id, items.started_at::DATE AS started_on, frames.stratum, frames.probability, frames.priority,
    items.sampling_probability, labelled.first_label, skipped.item_id IS NOT NULL AS is_skipped,
    held.item_id IS NOT NULL AS is_held
FROM review_frames AS frames
INNER JOIN items ON items.item_id = frames.item_id
LEFT JOIN labelled ON labelled.item_id = frames.item_id
LEFT JOIN skipped ON skipped.item_id = frames.item_id
LEFT JOIN held ON held.item_id = frames.item_id
ORDER BY frames.item_id, frames.stratum;
