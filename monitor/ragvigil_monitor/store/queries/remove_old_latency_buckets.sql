-- Remove sums of hours from before a time.
DELETE FROM latency_buckets WHERE hour < $before;
