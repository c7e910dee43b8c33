-- Of what each process began, how much is stored, or was until it was removed for its age? Counters are NULL for a
-- sender that reported none. Hours that are added up are not read span by span, but for those in $read_again.
WITH counts AS (
    SELECT instance_id, service, reported_at, started, exported, spooled, dropped
    FROM process_counts
    WHERE reported_at >= $since
),

sent AS (
    SELECT instance_id, service, spans, last_span_at, last_span_at AS counted_at
    FROM arrivals
    WHERE hour >= $spans_since AND hour < $summed_until AND NOT list_contains($read_again::TIMESTAMP[], hour)
    UNION ALL
    SELECT instance_id, service, 1, started_at, started_at
    FROM spans
    WHERE started_at >= greatest($spans_since::TIMESTAMP, $summed_until::TIMESTAMP)
    UNION ALL
    SELECT instance_id, service, 1, started_at, started_at
    FROM spans
    WHERE started_at >= $read_from AND started_at < $read_to AND started_at < $summed_until
        AND list_contains($read_again::TIMESTAMP[], date_trunc('hour', started_at))
),

arrived AS (
    SELECT
        sent.instance_id,
        sent.service,
        max(last_span_at) AS last_span_at,
        coalesce(
            sum(spans) FILTER (counts.reported_at IS NULL OR sent.counted_at <= counts.reported_at), 0
        )::BIGINT AS stored
    FROM sent
    LEFT JOIN counts ON counts.instance_id = sent.instance_id
    WHERE sent.service <> $doctor
    GROUP BY sent.instance_id, sent.service
)

SELECT
    coalesce(counts.service, arrived.service) AS service,
    coalesce(counts.instance_id, arrived.instance_id) AS instance_id,
    counts.reported_at,
    counts.started,
    counts.exported,
    counts.spooled,
    counts.dropped,
    coalesce(arrived.stored, 0) + coalesce(removed.spans, 0) AS stored,
    if(
        counts.started > 0, (coalesce(arrived.stored, 0) + coalesce(removed.spans, 0)) / counts.started, NULL
    ) AS share
FROM counts
FULL JOIN arrived ON arrived.instance_id = counts.instance_id
LEFT JOIN spans_removed AS removed
    ON removed.instance_id = coalesce(counts.instance_id, arrived.instance_id)
    AND removed.service = coalesce(arrived.service, counts.service)
ORDER BY coalesce(counts.reported_at, arrived.last_span_at) DESC, service
LIMIT $limit;
