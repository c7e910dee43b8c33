-- What did the last check find, of those of windows that end between two times, both included?
SELECT window_end, model, dimension, backend, version, mmd2, p, permutations, difference, checked_at
FROM drift_cross_checks
WHERE window_end >= $earliest::TIMESTAMP AND window_end <= $latest::TIMESTAMP
ORDER BY window_end DESC, checked_at DESC
LIMIT 1;
