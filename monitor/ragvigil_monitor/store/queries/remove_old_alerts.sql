-- Remove alerts that were resolved before a time.
DELETE FROM alerts WHERE state = 'resolved' AND resolved_at < $before;
