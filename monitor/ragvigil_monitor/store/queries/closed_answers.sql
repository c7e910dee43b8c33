-- Which answers of the traces of a batch are stored whose own span was removed for its age?
SELECT answers.trace_id, answers.span_id
FROM answers
SEMI JOIN batch ON batch.trace_id = answers.trace_id
INNER JOIN summed_hours ON summed_hours.hour = date_trunc('hour', answers.started_at)
ANTI JOIN (
    SELECT trace_id, span_id FROM spans WHERE started_at BETWEEN $earliest AND $latest
) AS stored ON stored.trace_id = answers.trace_id AND stored.span_id = answers.span_id
WHERE answers.started_at BETWEEN $earliest AND $latest AND summed_hours.state IN ('final', 'added_to');
