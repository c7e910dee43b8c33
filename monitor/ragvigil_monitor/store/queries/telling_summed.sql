-- How much do the answers and searches of each service tell about themselves, of hours that are added up?
SELECT
    service,
    sum(answers)::BIGINT AS answers,
    sum(answers_without_question)::BIGINT AS answers_without_question,
    sum(answers_without_text)::BIGINT AS answers_without_text,
    sum(spans)::BIGINT AS spans,
    sum(spans_with_dropped_attributes)::BIGINT AS spans_with_dropped_attributes,
    sum(retrievals)::BIGINT AS retrievals,
    sum(retrievals_without_documents)::BIGINT AS retrievals_without_documents,
    sum(documents_without_id)::BIGINT AS documents_without_id,
    sum(filters_known)::BIGINT AS filters_known,
    sum(filters_none)::BIGINT AS filters_none,
    sum(filters_partial)::BIGINT AS filters_partial
FROM told_hours
WHERE hour >= $start AND hour < $end AND ($service IS NULL OR service = $service)
GROUP BY service;
