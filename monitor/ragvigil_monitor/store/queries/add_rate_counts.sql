-- How many answers had the event, hour by hour, all and of each intent? Answers that do not tell are not in the totals.
INSERT INTO rate_counts BY NAME
SELECT
    $signal AS signal,
    if(grouping(intent) = 1, 'all', 'intent=' || intent) AS series,
    date_trunc('hour', started_at) AS hour,
    sum(value)::BIGINT AS events,
    count(*) AS totals
FROM observed_rate($signal, $window_start::TIMESTAMP, $window_end::TIMESTAMP)
WHERE value IS NOT NULL
GROUP BY GROUPING SETS ((hour), (hour, intent))
HAVING grouping(intent) = 1 OR intent IS NOT NULL;
