-- Which strata hold the answers that are to be reviewed? Adds a batch.
INSERT INTO review_frames BY NAME SELECT * FROM batch ON CONFLICT DO NOTHING;
