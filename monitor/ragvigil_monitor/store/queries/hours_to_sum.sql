-- Which hours are not added up, or not with what came late? The newest first, and those at last that failed before.
SELECT hour, state FROM summed_hours WHERE state IN ('stale', 'added_to') ORDER BY failures, hour DESC LIMIT $most;
