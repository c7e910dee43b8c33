-- Forget how many spans were removed of processes that are forgotten themselves.
DELETE FROM spans_removed
WHERE instance_id NOT IN (SELECT instance_id FROM process_counts);
