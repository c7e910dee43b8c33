-- Which days are too old to become part of a reference?
DELETE FROM drift_days WHERE day < $before::TIMESTAMP;
