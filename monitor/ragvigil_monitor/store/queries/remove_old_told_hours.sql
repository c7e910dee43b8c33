-- Remove sums of hours from before a time.
DELETE FROM told_hours WHERE hour < $before;
