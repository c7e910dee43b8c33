-- Which traces lie furthest above a limit?
SELECT lower(hex(trace_id)) AS trace_id
FROM observations($signal, $series, $window_start::TIMESTAMP, $window_end::TIMESTAMP)
WHERE isfinite(value) AND value > $limit
GROUP BY trace_id
ORDER BY max(value) DESC, trace_id
LIMIT $most;
