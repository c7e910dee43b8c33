-- Which documents did a retrieval return, and which its probe? The retrieval first.
SELECT stage, input_documents, output_documents, attributes
FROM spans
WHERE trace_id = $trace_id AND span_id = $retrieval_span_id
    AND started_at >= $started_at AND started_at < $started_at::TIMESTAMP + INTERVAL 1 HOUR
UNION ALL
SELECT stage, input_documents, output_documents, attributes
FROM spans
WHERE trace_id = $probe_trace_id AND span_id = $probe_span_id AND started_at = $probe_started_at;
