-- Which answers are to be reviewed? Adds a batch; one that was decided stays as it was.
INSERT INTO review_items BY NAME SELECT * FROM batch ON CONFLICT DO NOTHING;
