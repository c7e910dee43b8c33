-- How many searches of each service found documents of which none has an id? Probes are left out.
SELECT service, count(*) AS retrievals
FROM spans
WHERE started_at >= $start
    AND started_at < $end
    AND stage = 'retrieve'
    AND probe_id IS NULL
    AND output_documents IS NULL
    AND try_cast(attributes ->> '$."otel.documents_without_id"' AS BIGINT) > 0
    AND ($service IS NULL OR service = $service)
GROUP BY service;
