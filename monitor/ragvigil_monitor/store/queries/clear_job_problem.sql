-- A job succeeded.
DELETE FROM job_problems WHERE job = $job;
