-- How did an encoder's last permutation test end, of those of windows that end between two times, both included?
SELECT
    window_end, n, m, mmd2, p, approximate_p, permutations, gamma, auc, auc_p, duplicate_share, deduplicated_p, slices,
    trace_ids
FROM drift_evidence
WHERE model = $model AND dimension = $dimension
    AND window_end >= $earliest::TIMESTAMP AND window_end <= $latest::TIMESTAMP
ORDER BY window_end DESC
LIMIT 1;
