-- Of what each service began in each hour, how much is stored? A process tells at its last report of an hour how far it
-- has counted, so its hours end there: what began later belongs to its next report. Spans that no report covers are told
-- apart. Counters are NULL where no process reported what the hour alone brought: not after a silence of hours.
WITH reports AS (
    SELECT
        instance_id,
        service,
        hour,
        reported_at,
        started - lag(started, 1, 0) OVER by_time AS started,
        greatest(exported - lag(exported, 1, 0) OVER by_time, 0) AS exported,
        greatest(spooled - lag(spooled, 1, 0) OVER by_time, 0) AS spooled,
        greatest(dropped - lag(dropped, 1, 0) OVER by_time, 0) AS dropped,
        is_baseline
            OR lag(reported_at, 1, reported_at) OVER by_time < hour - $longest_silence::INTERVAL
            OR lag(hour) OVER by_time IS NULL
            AND instance_id IN (SELECT instance_id FROM process_counts_by_hour WHERE hour < $reports_since) AS is_unclear
    FROM process_counts_by_hour
    WHERE hour >= $reports_since AND service <> $doctor
    WINDOW by_time AS (PARTITION BY instance_id ORDER BY hour)
),

begun AS (
    SELECT
        spans.service,
        spans.instance_id,
        date_trunc('hour', spans.started_at) AS hour,
        coalesce(spans.started_at > own.reported_at, true) AS is_after_report,
        count(*) AS spans
    FROM spans
    LEFT JOIN reports AS own
        ON own.instance_id = spans.instance_id AND own.hour = date_trunc('hour', spans.started_at)
    WHERE spans.started_at >= $since::TIMESTAMP - $longest_silence::INTERVAL - INTERVAL 1 HOUR
        AND spans.service <> $doctor
    GROUP BY ALL
),

covered AS (
    SELECT
        begun.service,
        begun.spans,
        begun.hour AS begun_in,
        if(reports.is_unclear, NULL, reports.hour) AS counted_in
    FROM begun
    ASOF LEFT JOIN reports
        ON reports.instance_id = begun.instance_id
        AND reports.hour >= begun.hour + if(begun.is_after_report, INTERVAL 1 HOUR, INTERVAL 0 HOUR)
),

arrived AS (
    SELECT service, coalesce(counted_in, begun_in) AS hour, counted_in IS NOT NULL AS is_counted, sum(spans) AS spans
    FROM covered
    GROUP BY ALL
),

told AS (
    SELECT
        service,
        hour,
        count(*) FILTER (NOT is_unclear) AS processes,
        sum(started) FILTER (NOT is_unclear) AS started,
        sum(exported) FILTER (NOT is_unclear) AS exported,
        sum(spooled) FILTER (NOT is_unclear) AS spooled,
        sum(dropped) FILTER (NOT is_unclear) AS dropped
    FROM reports
    GROUP BY service, hour
)

SELECT
    coalesce(told.service, stored.service) AS service,
    coalesce(told.hour, stored.hour) AS hour,
    coalesce(told.processes, 0) AS processes,
    if(told.started > 9223372036854775807, 9223372036854775807, told.started)::BIGINT AS started,
    if(told.exported > 9223372036854775807, 9223372036854775807, told.exported)::BIGINT AS exported,
    if(told.spooled > 9223372036854775807, 9223372036854775807, told.spooled)::BIGINT AS spooled,
    if(told.dropped > 9223372036854775807, 9223372036854775807, told.dropped)::BIGINT AS dropped,
    coalesce(stored.counted, 0)::BIGINT AS stored,
    coalesce(stored.uncounted, 0)::BIGINT AS uncounted,
    if(told.started > 0, coalesce(stored.counted, 0) / told.started, NULL) AS share
FROM told
FULL JOIN (
    SELECT
        service,
        hour,
        sum(spans) FILTER (is_counted) AS counted,
        sum(spans) FILTER (NOT is_counted) AS uncounted
    FROM arrived
    GROUP BY service, hour
) AS stored ON stored.service = told.service AND stored.hour = told.hour
WHERE coalesce(told.hour, stored.hour) >= $since
ORDER BY hour DESC, service
LIMIT $limit;
