-- Forget how long the answers of an hour took, but not its stages.
DELETE FROM latency_buckets WHERE hour = $hour AND series = '';
