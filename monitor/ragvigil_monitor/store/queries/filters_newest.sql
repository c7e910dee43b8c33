-- Which filters did the newest searches of each service have?
SELECT service, filter_ast, filter_clauses
FROM spans
WHERE
    started_at >= $since AND stage = 'retrieve' AND probe_id IS NULL AND filter_ast IS NOT NULL
    AND ($service IS NULL OR service = $service)
QUALIFY row_number() OVER (PARTITION BY service ORDER BY started_at DESC) <= $limit;
