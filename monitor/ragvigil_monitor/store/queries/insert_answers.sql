-- Which answers has the application given? Adds a batch.
INSERT INTO answers BY NAME SELECT * FROM batch;
