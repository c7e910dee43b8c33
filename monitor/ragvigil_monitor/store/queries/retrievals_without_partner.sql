-- Which answers of a time range have no retrieval, which retrievals no answer, and which probes no retrieval that they
-- probed?
WITH asked AS (
    SELECT trace_id, span_id, started_at
    FROM answers
    WHERE started_at >= $start::TIMESTAMP - INTERVAL 1 HOUR AND started_at < $end
),
searches AS (
    SELECT trace_id, span_id, answer_span_id, probe_id, started_at
    FROM spans
    WHERE started_at >= $start::TIMESTAMP - INTERVAL 2 HOUR AND started_at < $end::TIMESTAMP + INTERVAL 1 HOUR
        AND stage = 'retrieve'
),
probes AS (
    SELECT probe_id, min(started_at) AS started_at FROM searches WHERE probe_id IS NOT NULL GROUP BY probe_id
)
SELECT 'answer_without_retrieval' AS reason, asked.started_at
FROM asked
ANTI JOIN searches
    ON searches.trace_id = asked.trace_id AND searches.answer_span_id = asked.span_id AND searches.probe_id IS NULL
    AND searches.started_at >= asked.started_at AND searches.started_at < asked.started_at + INTERVAL 1 HOUR
WHERE asked.started_at >= $start
UNION ALL
SELECT 'retrieval_without_answer', searches.started_at
FROM searches
ANTI JOIN asked
    ON asked.trace_id = searches.trace_id AND asked.span_id = searches.answer_span_id
    AND searches.started_at >= asked.started_at AND searches.started_at < asked.started_at + INTERVAL 1 HOUR
WHERE searches.probe_id IS NULL AND searches.started_at >= $start AND searches.started_at < $end
UNION ALL
SELECT 'probe_without_retrieval', probes.started_at
FROM probes
ANTI JOIN searches
    ON lower(hex(searches.trace_id)) || '-' || lower(hex(searches.span_id)) = probes.probe_id
    AND searches.probe_id IS NULL
    AND searches.started_at <= probes.started_at AND searches.started_at > probes.started_at - INTERVAL 2 HOUR
WHERE probes.started_at >= $start AND probes.started_at < $end;
