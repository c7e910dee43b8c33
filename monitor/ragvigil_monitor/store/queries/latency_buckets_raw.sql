-- How many latencies of each series lie in each bucket? bucket NULL: not known. Reads spans.
SELECT series, bucket, n FROM observed_latency_buckets($window_start::TIMESTAMP, $window_end::TIMESTAMP);
