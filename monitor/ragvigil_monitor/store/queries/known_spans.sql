-- Which spans of a batch are already stored, among those that started in a time range?
SELECT batch.trace_id, batch.span_id
FROM batch
SEMI JOIN (
    SELECT trace_id, span_id FROM spans WHERE started_at BETWEEN $earliest AND $latest
) AS stored ON stored.trace_id = batch.trace_id AND stored.span_id = batch.span_id;
