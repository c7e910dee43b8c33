-- Which permutation test of a window that ends between two times, both included, was last and not checked yet?
SELECT window_end, window_s, model, dimension, version, gamma, permutations
FROM drift_evidence
ANTI JOIN drift_cross_checks USING (window_end, window_s, model, dimension)
WHERE window_end >= $earliest::TIMESTAMP AND window_end <= $latest::TIMESTAMP
ORDER BY window_end DESC, model, dimension
LIMIT 1;
