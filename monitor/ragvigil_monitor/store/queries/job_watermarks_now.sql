-- Up to which time is each job done?
SELECT job, done_up_to FROM job_watermarks ORDER BY job;
