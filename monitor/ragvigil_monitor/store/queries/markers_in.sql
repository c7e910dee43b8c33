-- Which versions, models and the like did services work with in a window, as far as that is news? $paths: where
-- attributes say the reported model, the versions of index and embedding, and name and version of the filter extractor.
-- A kind with $most new values of a service on a day is no version of anything, and is not noted any further that day.
WITH said AS (
    SELECT
        service,
        service_version,
        if(answering, coalesce(facts[1], model), NULL) AS answering_model,
        if(embedding, model, NULL) AS embedding_model,
        facts[2] AS index_version,
        facts[3] AS embedding_version,
        facts[4] AS extractor,
        facts[5] AS extractor_version,
        min(started_at) AS first_seen_at
    FROM (
        SELECT
            *,
            status <> 'error' AND (stage = 'generate' OR (stage IS NULL AND kind = 'LLM')) AS answering,
            status <> 'error' AND (stage = 'embed' OR (stage IS NULL AND kind = 'EMBEDDING')) AS embedding,
            json_extract_string(attributes, $paths::VARCHAR[]) AS facts
        FROM spans
        WHERE started_at >= $window_start::TIMESTAMP AND started_at < $window_end::TIMESTAMP AND probe_id IS NULL
    )
    GROUP BY ALL
),
seen AS (
    SELECT marker.kind, service, left(marker.value, 200) AS value, min(first_seen_at) AS first_seen_at
    FROM (
        SELECT
            service,
            first_seen_at,
            unnest([
                {'kind': 'release', 'value': service_version},
                {'kind': 'model', 'value': answering_model},
                {'kind': 'embedding model', 'value': embedding_model},
                {'kind': 'embedding', 'value': embedding_version},
                {'kind': 'index', 'value': index_version},
                {'kind': 'filter extractor', 'value': nullif(concat_ws(' ', extractor, extractor_version), '')}
            ]) AS marker
        FROM said
    )
    WHERE marker.value IS NOT NULL AND marker.value <> ''
    GROUP BY ALL
)
SELECT seen.kind, seen.service, seen.value, seen.first_seen_at
FROM seen
LEFT JOIN markers ON markers.kind = seen.kind AND markers.service = seen.service AND markers.value = seen.value
LEFT JOIN (
    SELECT kind, service, first_seen_at::DATE AS day, count(*) AS values FROM markers GROUP BY ALL
) AS noted ON noted.kind = seen.kind AND noted.service = seen.service AND noted.day = seen.first_seen_at::DATE
WHERE markers.first_seen_at IS NULL OR markers.first_seen_at > seen.first_seen_at
QUALIFY
    coalesce(noted.values, 0)
    + row_number() OVER (
        PARTITION BY seen.kind, seen.service, seen.first_seen_at::DATE ORDER BY seen.first_seen_at, seen.value
    ) <= $most
ORDER BY seen.first_seen_at, seen.kind, seen.service, seen.value;
