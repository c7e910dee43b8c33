-- What do the outer products of the vectors of these days add up to?
INSERT OR REPLACE INTO drift_days BY NAME SELECT * FROM batch;
