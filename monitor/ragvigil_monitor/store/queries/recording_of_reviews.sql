-- With which probability did the application record the answer of each drawn item of one kind, in a time range?
-- Answers are found by their start first, which is all that is read of the others.
WITH near AS MATERIALIZED (
    SELECT items.item_id, items.trace_id, items.span_id, given.place
    FROM (
        SELECT item_id, trace_id, span_id, started_at
        FROM review_items
        WHERE kind = $kind AND started_at >= $start AND started_at < $end
    ) AS items
    INNER JOIN (
        SELECT rowid AS place, started_at FROM answers WHERE started_at >= $start AND started_at < $end
    ) AS given
        ON given.started_at = items.started_at
)
SELECT near.item_id, answers.sampling_probability AS recorded
FROM near
INNER JOIN answers
    ON answers.rowid = near.place AND answers.trace_id = near.trace_id AND answers.span_id = near.span_id
WHERE answers.started_at >= $start AND answers.started_at < $end;
