-- Remove hourly counts of slices from before a time.
DELETE FROM rate_slices WHERE hour < $before;
