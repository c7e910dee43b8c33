-- Which hours are not added up, or not with what came late? The newest first, and those at last that failed before.
SELECT hour FROM summed_hours WHERE state = 'stale' ORDER BY failures, hour DESC LIMIT $most;
