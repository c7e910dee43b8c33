-- Remember how many reported spans of each process are about to be removed.
INSERT INTO spans_removed (instance_id, service, spans)
SELECT spans.instance_id, spans.service, count(*)
FROM spans
INNER JOIN process_counts AS counts ON counts.instance_id = spans.instance_id
WHERE spans.started_at < $before AND spans.started_at <= counts.reported_at
    AND spans.trace_id NOT IN (SELECT trace_id FROM reviewed_traces)
GROUP BY spans.instance_id, spans.service
ON CONFLICT (instance_id, service) DO UPDATE SET spans = spans_removed.spans + excluded.spans;
