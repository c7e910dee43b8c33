-- With which probability did the application record the answer of each drawn item of one kind, in a time range?
SELECT items.item_id, answers.sampling_probability AS recorded
FROM review_items AS items
INNER JOIN answers ON answers.trace_id = items.trace_id AND answers.span_id = items.span_id
WHERE items.kind = $kind AND items.started_at >= $start AND items.started_at < $end
    AND answers.started_at >= $start AND answers.started_at < $end;
