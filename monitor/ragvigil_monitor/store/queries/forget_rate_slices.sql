-- Which hours of a rate are counted anew, slice by slice?
DELETE FROM rate_slices
WHERE signal = $signal AND hour >= $window_start::TIMESTAMP AND hour < $window_end::TIMESTAMP;
