-- Which hours of a rate are counted anew?
DELETE FROM rate_counts
WHERE signal = $signal AND hour >= $window_start::TIMESTAMP AND hour < $window_end::TIMESTAMP;
