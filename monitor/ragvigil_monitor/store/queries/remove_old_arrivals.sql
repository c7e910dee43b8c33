-- Remove sums of hours from before a time.
DELETE FROM arrivals WHERE hour < $before;
