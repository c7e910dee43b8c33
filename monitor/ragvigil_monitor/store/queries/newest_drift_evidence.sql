-- How did an encoder's last permutation test up to a time end?
SELECT window_end, mmd2, p, auc
FROM drift_evidence
WHERE model = $model AND dimension = $dimension AND window_end <= $now::TIMESTAMP
ORDER BY window_end DESC
LIMIT 1;
