-- Which versions of which services sent spans in a window, as far as that is news?
SELECT seen.service, seen.service_version, seen.first_seen_at
FROM (
    SELECT service, service_version, min(started_at) AS first_seen_at
    FROM spans
    WHERE started_at >= $window_start::TIMESTAMP AND started_at < $window_end::TIMESTAMP
        AND service_version IS NOT NULL
    GROUP BY service, service_version
) AS seen
LEFT JOIN releases ON releases.service = seen.service AND releases.service_version = seen.service_version
WHERE releases.first_seen_at IS NULL OR releases.first_seen_at > seen.first_seen_at;
