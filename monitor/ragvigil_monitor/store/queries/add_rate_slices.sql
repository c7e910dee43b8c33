-- How many answers had the event, hour by hour and slice by slice, of all answers and of each intent?
INSERT INTO rate_slices BY NAME
WITH labelled AS (
    SELECT
        date_trunc('hour', observed.started_at) AS hour, observed.value, answers.intent, answers.service_version,
        answers.slices
    FROM observed_rate($signal, $window_start::TIMESTAMP, $window_end::TIMESTAMP) AS observed
    INNER JOIN answers
        ON answers.trace_id = observed.trace_id AND answers.span_id = observed.answer_span_id
        AND answers.started_at = observed.started_at
    WHERE observed.value IS NOT NULL
        AND answers.started_at >= $window_start AND answers.started_at < $window_end
),
named AS (
    SELECT hour, value, intent, 'intent' AS name, intent AS slice FROM labelled
    UNION ALL
    SELECT hour, value, intent, 'service_version', service_version FROM labelled
    UNION ALL
    SELECT hour, value, intent, entry.key, entry.value
    FROM (
        SELECT *, unnest(map_entries(try_cast(slices AS MAP(VARCHAR, VARCHAR)))) AS entry FROM labelled
    )
    WHERE (entry.key <> 'intent' OR intent IS NULL) AND (entry.key <> 'service_version' OR service_version IS NULL)
)
SELECT
    $signal AS signal,
    if(grouping(intent) = 1, 'all', 'intent=' || intent) AS series,
    hour,
    name,
    slice,
    sum(value)::BIGINT AS events,
    count(*) AS totals
FROM named
WHERE slice IS NOT NULL
GROUP BY GROUPING SETS ((hour, name, slice), (hour, intent, name, slice))
HAVING grouping(intent) = 1 OR intent IS NOT NULL;
