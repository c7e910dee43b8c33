-- Forget the samples of days from before a time.
DELETE FROM drift_day_samples WHERE day < $before::TIMESTAMP;
