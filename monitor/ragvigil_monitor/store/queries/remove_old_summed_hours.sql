-- Forget that hours from before a time were added up.
DELETE FROM summed_hours WHERE hour < $before;
