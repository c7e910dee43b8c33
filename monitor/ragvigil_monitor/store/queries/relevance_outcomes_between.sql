-- What do the labels of relevance items that were given up to a moment mean, of the answers of a time range?
SELECT item_id, trace_id, answer_span_id, is_filtered, depth, has_evidence, is_excluded, lost_at, unknown_because
FROM relevance_outcomes
WHERE started_at >= $start AND started_at < $end
    AND item_id IN (SELECT item_id FROM review_labels WHERE labelled_at <= $now);
