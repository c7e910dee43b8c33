-- What did the looks find? Each look is taken once.
INSERT INTO estimates BY NAME SELECT * FROM batch;
