-- A job failed, perhaps not for the first time.
INSERT INTO job_problems (job, failing_since, failed_at, failures, error)
VALUES ($job, $failed_at::TIMESTAMP, $failed_at::TIMESTAMP, 1, $error)
ON CONFLICT (job) DO UPDATE SET failed_at = excluded.failed_at, failures = failures + 1, error = excluded.error;
