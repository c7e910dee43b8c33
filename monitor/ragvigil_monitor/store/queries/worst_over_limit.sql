-- Which traces lie furthest above a limit ($below: below it)?
SELECT lower(hex(trace_id)) AS trace_id
FROM observations($signal, $series, $window_start::TIMESTAMP, $window_end::TIMESTAMP)
WHERE isfinite(value) AND if($below, value < $limit, value > $limit)
GROUP BY trace_id
ORDER BY max(if($below, -value, value)) DESC, trace_id
LIMIT $most;
