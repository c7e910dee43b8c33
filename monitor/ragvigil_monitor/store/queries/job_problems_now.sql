-- Which jobs fail, since when, and why?
SELECT job, failing_since, failed_at, failures, error FROM job_problems ORDER BY job;
