-- How many latencies of each series lie in each bucket, of hours that are added up? bucket NULL: not known.
SELECT series, bucket, sum(n)::BIGINT AS n
FROM latency_buckets
WHERE hour >= $window_start AND hour < $window_end
GROUP BY series, bucket;
