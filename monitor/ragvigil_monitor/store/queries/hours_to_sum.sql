-- Which hours are not added up, or not with what came late? The newest first.
SELECT hour FROM summed_hours WHERE state = 'stale' ORDER BY hour DESC LIMIT $most;
