-- Which documents did a search return?
SELECT stage, input_documents, output_documents, attributes
FROM spans
WHERE trace_id = $trace_id AND span_id = $span_id AND started_at >= $start AND started_at < $end
LIMIT 1;
