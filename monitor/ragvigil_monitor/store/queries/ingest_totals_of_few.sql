-- What became of received items, by service: those that came first by name, the others together, whatever senders call themselves?
WITH named AS (
    SELECT left(service, $most_letters::INTEGER) AS service, outcome, hour, items
    FROM ingest_counts
),
places AS (
    SELECT service, row_number() OVER (ORDER BY min(hour), service) AS place
    FROM named
    GROUP BY service
)
SELECT CASE WHEN place <= $most_services THEN service ELSE $others END AS service, outcome, sum(items)::BIGINT AS items
FROM named
JOIN places USING (service)
GROUP BY ALL
ORDER BY ALL;
