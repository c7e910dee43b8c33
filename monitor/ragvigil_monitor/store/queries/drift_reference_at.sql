-- What was an encoder's traffic compared with at a time? The newest reference that there was.
SELECT * FROM drift_references
WHERE model = $model AND dimension = $dimension AND fitted_at <= $now::TIMESTAMP
ORDER BY fitted_at DESC, version DESC
LIMIT 1;
