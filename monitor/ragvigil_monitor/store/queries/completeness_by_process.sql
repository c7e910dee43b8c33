-- Of what each process began, how much is stored, or was until it was removed for its age? Counters are NULL for a
-- sender that reported none.
WITH counts AS (
    SELECT instance_id, service, reported_at, started, exported, spooled, dropped
    FROM process_counts
    WHERE reported_at >= $since
),

arrived AS (
    SELECT
        spans.instance_id,
        spans.service,
        max(spans.started_at) AS last_span_at,
        count(*) FILTER (WHERE counts.reported_at IS NULL OR spans.started_at <= counts.reported_at) AS stored
    FROM spans
    LEFT JOIN counts ON counts.instance_id = spans.instance_id
    WHERE spans.started_at >= $spans_since AND spans.service <> $doctor
    GROUP BY spans.instance_id, spans.service
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
