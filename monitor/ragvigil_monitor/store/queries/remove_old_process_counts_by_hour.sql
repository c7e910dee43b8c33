-- Remove what processes reported in hours before a time.
DELETE FROM process_counts_by_hour WHERE hour < $before;
