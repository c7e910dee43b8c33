-- Which hours cannot be added up, and why? The newest first.
SELECT hour, error FROM summed_hours WHERE state IN ('stale', 'added_to') AND failures > 0 ORDER BY hour DESC;
