-- Remove what processes reported that were last heard of before a time.
DELETE FROM process_counts WHERE reported_at < $before;
