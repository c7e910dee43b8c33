-- What did the stages of an answer do to documents, in order of time?
SELECT stage, input_documents, output_documents, attributes
FROM spans
WHERE trace_id = $trace_id AND answer_span_id = $span_id AND span_id <> $span_id AND probe_id IS NULL
    AND started_at >= $start AND started_at < $end
ORDER BY started_at, duration_ms DESC
LIMIT $limit;
