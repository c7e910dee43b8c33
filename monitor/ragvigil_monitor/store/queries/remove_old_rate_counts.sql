-- Remove hourly counts from before a time.
DELETE FROM rate_counts WHERE hour < $before;
