-- What did each stratum hold and take? Adds a batch.
INSERT INTO review_rounds BY NAME SELECT * FROM batch;
