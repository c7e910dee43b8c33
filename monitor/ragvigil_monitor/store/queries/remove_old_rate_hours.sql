-- Forget of how much hours from before a time were counted.
DELETE FROM rate_hours WHERE hour < $before;
