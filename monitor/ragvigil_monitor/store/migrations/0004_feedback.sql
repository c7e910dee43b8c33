-- What users did with answers, and rates that are judged against their own history.

-- A band has a lower limit and an expected value; NULL where a signal has only the upper limit.
ALTER TABLE estimates ADD COLUMN lower_limit_value DOUBLE;
ALTER TABLE estimates ADD COLUMN expected_value DOUBLE;
