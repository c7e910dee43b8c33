-- A job is done up to a time.
INSERT INTO job_watermarks (job, done_up_to) VALUES ($job, $done_up_to::TIMESTAMP)
ON CONFLICT (job) DO UPDATE SET done_up_to = excluded.done_up_to;
