-- Which vectors stand for a reference?
SELECT started_at, trace_id, intent, unit_f16
FROM drift_samples
WHERE model = $model AND dimension = $dimension AND version = $version;
