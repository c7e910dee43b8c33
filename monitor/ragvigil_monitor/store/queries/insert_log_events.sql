-- Which events were reported? Adds a batch.
INSERT INTO log_events BY NAME SELECT * FROM batch;
