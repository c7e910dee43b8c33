-- Remove log events from before a time; feedback was read from them long ago.
DELETE FROM log_events WHERE occurred_at < $before AND observed_at < $before;
