-- Which instrumentation libraries other than Ragvigil made the spans of each service, and how many?
SELECT
    service,
    attributes ->> '$."otel.scope.name"' AS library,
    attributes ->> '$."otel.scope.version"' AS version,
    count(*) AS spans
FROM spans
WHERE started_at >= $since AND ($service IS NULL OR service = $service)
    AND contains(attributes::VARCHAR, '"otel.scope.name"')
GROUP BY ALL
ORDER BY spans DESC, library, version
LIMIT $limit;
