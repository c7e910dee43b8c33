-- What do the vectors of these hours add up to?
INSERT OR REPLACE INTO drift_hours BY NAME SELECT * FROM batch;
