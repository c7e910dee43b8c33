-- Remember how many spans of each process are about to be removed.
INSERT INTO spans_removed (instance_id, spans)
SELECT instance_id, count(*)
FROM spans
WHERE started_at < $before AND instance_id IS NOT NULL AND trace_id NOT IN (SELECT trace_id FROM reviewed_traces)
GROUP BY instance_id
ON CONFLICT (instance_id) DO UPDATE SET spans = spans_removed.spans + excluded.spans;
