-- Which libraries other than Ragvigil made the spans of each service, and how many, in hours that are added up?
SELECT service, library, version, sum(spans)::BIGINT AS spans
FROM told_libraries
WHERE hour >= $start AND hour < $end AND ($service IS NULL OR service = $service)
GROUP BY service, library, version;
