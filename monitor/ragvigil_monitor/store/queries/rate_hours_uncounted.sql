-- Which hours of a rate were counted by an earlier version, or elsewhere? Nothing says of how much. The newest first.
SELECT DISTINCT counts.hour
FROM rate_counts AS counts
ANTI JOIN rate_hours AS counted ON counted.signal = counts.signal AND counted.hour = counts.hour
WHERE counts.signal = $signal AND counts.hour >= $window_start::TIMESTAMP AND counts.hour < $window_end::TIMESTAMP
ORDER BY counts.hour DESC;
