-- What is a list of answers to show of some answers, whose starts are given?
SELECT
    trace_id, span_id, answer_id, started_at, duration_ms, service, service_version, intent, status, question
FROM answers
WHERE rowid IN (
    SELECT answers.rowid
    FROM answers
    INNER JOIN (
        SELECT unnest($started_at::TIMESTAMP[]) AS started_at, unnest($trace_ids::BLOB[]) AS trace_id,
            unnest($span_ids::BLOB[]) AS span_id
    ) AS wanted
        ON wanted.started_at = answers.started_at AND wanted.trace_id = answers.trace_id
        AND wanted.span_id = answers.span_id
    WHERE answers.started_at >= $start AND answers.started_at <= $end
);
