-- Which hours from before a time are not added up as they should be?
SELECT hour FROM summed_hours WHERE state = 'stale' AND hour < $before LIMIT 1;
