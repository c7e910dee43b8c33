-- What did a judge say? Adds a batch.
INSERT INTO judge_scores BY NAME SELECT * FROM batch;
