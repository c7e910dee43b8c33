-- Which hours from before a time are not added up as they should be? One that failed three times is not waited for.
SELECT hour FROM summed_hours WHERE state = 'stale' AND failures < 3 AND hour < $before LIMIT 1;
