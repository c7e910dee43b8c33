-- What was new in a span of time? What a service said in its first hour of a kind is not new: nothing is known from
-- before.
SELECT markers.kind, markers.service, markers.value, markers.first_seen_at
FROM markers
INNER JOIN (
    SELECT kind, service, min(first_seen_at) AS began_at
    FROM markers
    GROUP BY kind, service
) AS known ON known.kind = markers.kind AND known.service = markers.service
WHERE markers.first_seen_at >= $earliest AND markers.first_seen_at <= $latest
    AND markers.first_seen_at > known.began_at + INTERVAL 1 HOUR
ORDER BY markers.first_seen_at, markers.kind <> 'release', markers.kind, markers.service, markers.value;
