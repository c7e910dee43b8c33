-- Up to which time is a job done?
SELECT done_up_to FROM job_watermarks WHERE job = $job;
