-- How much do the answers and searches of each service tell about themselves?
WITH given AS (
    SELECT
        service,
        count(*) AS answers,
        count(*) FILTER (WHERE question IS NULL) AS answers_without_question,
        count(*) FILTER (WHERE answer IS NULL) AS answers_without_text
    FROM answers
    WHERE started_at >= $since
    GROUP BY service
),

recorded AS (
    SELECT
        service,
        count(*) AS spans,
        count(*) FILTER (WHERE dropped_attributes > 0) AS spans_with_dropped_attributes,
        count(*) FILTER (WHERE stage = 'retrieve') AS retrievals,
        count(*) FILTER (WHERE stage = 'retrieve' AND output_documents IS NULL) AS retrievals_without_documents,
        coalesce(
            sum(try_cast(attributes ->> '$."otel.documents_without_id"' AS BIGINT)) FILTER (WHERE stage = 'retrieve'), 0
        )::BIGINT AS documents_without_id,
        count(*) FILTER (WHERE stage = 'retrieve' AND filter_state = 'known') AS filters_known,
        count(*) FILTER (WHERE stage = 'retrieve' AND filter_state = 'none') AS filters_none,
        count(*) FILTER (WHERE stage = 'retrieve' AND filter_state = 'partial') AS filters_partial
    FROM spans
    WHERE started_at >= $since AND probe_id IS NULL
    GROUP BY service
)

SELECT
    recorded.service,
    coalesce(given.answers, 0) AS answers,
    coalesce(given.answers_without_question, 0) AS answers_without_question,
    coalesce(given.answers_without_text, 0) AS answers_without_text,
    recorded.* EXCLUDE (service)
FROM recorded
LEFT JOIN given ON given.service = recorded.service
WHERE $service IS NULL OR recorded.service = $service
ORDER BY answers DESC, recorded.service
LIMIT $limit;
