-- What is later traffic compared with? A reference never changes.
INSERT INTO drift_references BY NAME SELECT * FROM batch;
