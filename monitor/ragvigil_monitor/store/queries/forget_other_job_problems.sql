-- Only these jobs are run from now on.
DELETE FROM job_problems WHERE NOT list_contains($jobs, job);
