-- Forget the samples of days that are drawn now, and later ones.
DELETE FROM drift_day_samples WHERE day >= $drawn_from::TIMESTAMP;
