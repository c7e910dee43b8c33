-- How did the permutation tests of these windows end?
INSERT OR REPLACE INTO drift_evidence BY NAME SELECT * FROM batch;
