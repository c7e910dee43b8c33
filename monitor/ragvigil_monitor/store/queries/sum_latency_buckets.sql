-- How many latencies of an hour lie in each bucket?
INSERT INTO latency_buckets BY NAME
SELECT $hour::TIMESTAMP AS hour, * FROM observed_latency_buckets($hour::TIMESTAMP, $hour::TIMESTAMP + INTERVAL 1 HOUR);
