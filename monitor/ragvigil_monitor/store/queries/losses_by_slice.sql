-- At which stage was the evidence lost, slice by slice, for the reviewed retrievals of a time range that had any?
-- The slices that lost most first.
-- Answers are found by their start first, which is all that is read of the others.
WITH near AS MATERIALIZED (
    SELECT outcomes.trace_id, outcomes.answer_span_id, outcomes.lost_at, given.place
    FROM (
        SELECT trace_id, answer_span_id, started_at, lost_at
        FROM relevance_outcomes
        WHERE started_at >= $start AND started_at < $end AND has_evidence
    ) AS outcomes
    INNER JOIN (
        SELECT rowid AS place, started_at FROM answers WHERE started_at >= $start AND started_at < $end
    ) AS given
        ON given.started_at = outcomes.started_at
),
reviewed AS (
    SELECT near.lost_at, answers.intent, answers.service_version, answers.slices
    FROM near
    INNER JOIN answers
        ON answers.rowid = near.place AND answers.trace_id = near.trace_id AND answers.span_id = near.answer_span_id
    WHERE answers.started_at >= $start AND answers.started_at < $end
),
named AS (
    SELECT lost_at, 'intent' AS name, intent AS slice FROM reviewed
    UNION ALL
    SELECT lost_at, 'service_version', service_version FROM reviewed
    UNION ALL
    SELECT lost_at, entry.key, entry.value
    FROM (
        SELECT lost_at, intent, service_version, unnest(map_entries(try_cast(slices AS MAP(VARCHAR, VARCHAR)))) AS entry
        FROM reviewed
    )
    WHERE (entry.key <> 'intent' OR intent IS NULL) AND (entry.key <> 'service_version' OR service_version IS NULL)
),
counted AS (
    SELECT name, slice AS value, lost_at AS stage, count(*) AS n FROM named WHERE slice IS NOT NULL GROUP BY ALL
),
worst AS (
    SELECT name, value, sum(n) FILTER (stage <> 'kept') AS lost, sum(n) AS reviewed
    FROM counted
    GROUP BY name, value
    ORDER BY lost DESC NULLS LAST, reviewed DESC, name, value
    LIMIT $most
)
SELECT name, value, stage, n
FROM counted
INNER JOIN worst USING (name, value)
ORDER BY lost DESC NULLS LAST, reviewed DESC, name, value, stage;
