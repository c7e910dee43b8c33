-- Remove sums of hours from before a time.
DELETE FROM answer_stages WHERE started_at < $before;
