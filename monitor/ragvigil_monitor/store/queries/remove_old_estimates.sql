-- Remove estimates of windows that ended before a time.
DELETE FROM estimates WHERE window_end < $before;
