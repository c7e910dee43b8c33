-- Reviewed filtered retrievals whose evidence was kept out by the relevance clauses: 1, and 0 where some of it was not.
-- NULL where that is not known; without evidence there is no observation. Unfiltered ones exclude nothing, and another
-- share of them is reviewed: counted beside these without weights, they would only distort.

CREATE MACRO observed_false_exclusion(window_start, window_end) AS TABLE
SELECT trace_id, answer_span_id, started_at, is_excluded::DOUBLE AS value
FROM relevance_outcomes
WHERE started_at >= window_start AND started_at < window_end AND has_evidence AND is_filtered;

-- A slice that an application names like a column of answers ('intent') counts once: the column goes before it.
CREATE OR REPLACE MACRO sliced_observations(signal_name, series_name, window_start, window_end) AS TABLE
WITH labelled AS (
    SELECT observed.started_at, observed.value, answers.intent, answers.service_version, answers.slices
    FROM observations(signal_name, series_name, window_start, window_end) AS observed
    INNER JOIN answers
        ON answers.trace_id = observed.trace_id AND answers.span_id = observed.answer_span_id
    WHERE isfinite(observed.value)
        AND answers.started_at >= window_start - INTERVAL 1 HOUR
        AND answers.started_at < window_end + INTERVAL 1 HOUR
),
named AS (
    SELECT started_at, value, 'intent' AS name, intent AS slice FROM labelled
    UNION ALL
    SELECT started_at, value, 'service_version', service_version FROM labelled
    UNION ALL
    SELECT started_at, value, entry.key, entry.value
    FROM (
        SELECT
            started_at,
            value,
            intent,
            service_version,
            unnest(map_entries(try_cast(slices AS MAP(VARCHAR, VARCHAR)))) AS entry
        FROM labelled
    )
    WHERE (entry.key <> 'intent' OR intent IS NULL) AND (entry.key <> 'service_version' OR service_version IS NULL)
)
SELECT * FROM named WHERE slice IS NOT NULL;
