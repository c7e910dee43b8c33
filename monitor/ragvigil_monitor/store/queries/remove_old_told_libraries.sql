-- Remove sums of hours from before a time.
DELETE FROM told_libraries WHERE hour < $before;
