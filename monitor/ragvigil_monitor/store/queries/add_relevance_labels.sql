-- What does a label say of each document that was shown?
INSERT INTO relevance_labels (label_id, document_id, is_relevant)
SELECT $label_id, unnest($documents), unnest($relevant);
