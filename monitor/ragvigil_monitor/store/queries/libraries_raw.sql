-- Which libraries other than Ragvigil made the spans of each service, and how many? Reads spans.
SELECT * FROM observed_libraries($start::TIMESTAMP, $end::TIMESTAMP) WHERE $service IS NULL OR service = $service;
