-- Forget the samples of days that are too old to become part of a reference, and of those that are drawn now.
DELETE FROM drift_day_samples WHERE day < $before::TIMESTAMP OR day >= $drawn_from::TIMESTAMP;
