-- How did the permutation test of a window end?
SELECT
    n, m, mmd2, p, approximate_p, permutations, gamma, auc, auc_p, duplicate_share, deduplicated_p, slices, trace_ids
FROM drift_evidence
WHERE window_end = $window_end::TIMESTAMP AND window_s = $window_s AND model = $model AND dimension = $dimension;
