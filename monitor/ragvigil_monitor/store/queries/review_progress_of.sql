-- How much has a reviewer done, and how many open items, of one kind or of any ($kind NULL), wait for a first label?
SELECT
    (SELECT count(*) FROM review_labels WHERE reviewer = $reviewer) AS labelled,
    (SELECT count(*) FROM review_labels WHERE reviewer = $reviewer AND labelled_at >= $since) AS labelled_today,
    (SELECT count(*) FROM review_skips WHERE reviewer = $reviewer AND skipped_at >= $since) AS skipped_today,
    (
        SELECT count(*)
        FROM review_standing AS standing
        INNER JOIN review_items AS items ON items.item_id = standing.item_id
        WHERE items.decided_at >= $open_since AND items.kind = coalesce($kind, items.kind)
            AND standing.labels = 0 AND standing.skips = 0
            AND (standing.held_until IS NULL OR standing.held_until <= $now)
    ) AS waiting;
