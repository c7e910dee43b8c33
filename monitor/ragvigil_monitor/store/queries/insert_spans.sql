-- Which spans has the application sent? Adds a batch.
INSERT INTO spans BY NAME SELECT * FROM batch;
