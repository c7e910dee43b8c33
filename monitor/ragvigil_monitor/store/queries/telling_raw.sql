-- How much do the answers and searches of each service tell about themselves? Reads spans.
SELECT * FROM observed_telling($start::TIMESTAMP, $end::TIMESTAMP) WHERE $service IS NULL OR service = $service;
