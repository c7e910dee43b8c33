-- Remove query vectors from before a time.
DELETE FROM query_vectors WHERE started_at < $before;
