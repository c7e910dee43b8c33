-- What do new labels of relevance items mean? Adds a batch; what was decided stays as it was.
INSERT INTO relevance_outcomes BY NAME SELECT * FROM batch ON CONFLICT DO NOTHING;
