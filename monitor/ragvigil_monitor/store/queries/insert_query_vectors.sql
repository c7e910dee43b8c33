-- Which query vectors were searched for? Adds a batch.
INSERT INTO query_vectors BY NAME SELECT * FROM batch;
