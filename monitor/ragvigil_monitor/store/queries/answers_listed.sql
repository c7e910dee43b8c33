-- What is a list of answers to show of some answers, whose starts are given? They are found by their start first, which is
-- all that is read of the others.
SELECT
    trace_id, span_id, answer_id, started_at, duration_ms, service, service_version, intent, status, question
FROM answers
WHERE list_contains($trace_ids::BLOB[], trace_id)
    AND rowid IN (
        SELECT rowid
        FROM answers
        WHERE started_at >= $start AND started_at <= $end
            AND started_at IN (SELECT unnest($started_at::TIMESTAMP[]))
    );
