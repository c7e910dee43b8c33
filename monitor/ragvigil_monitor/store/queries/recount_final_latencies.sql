-- How long did the answers of an hour take whose spans were removed? Answers stay, so this is counted anew.
INSERT INTO latency_buckets BY NAME
SELECT $hour::TIMESTAMP AS hour, '' AS series, log_bucket(value) AS bucket, count(*) AS n
FROM observed_answer_latency($hour::TIMESTAMP, $hour::TIMESTAMP + INTERVAL 1 HOUR)
GROUP BY ALL;
