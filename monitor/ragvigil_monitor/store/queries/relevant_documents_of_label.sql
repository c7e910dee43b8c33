-- Which documents does a label call relevant?
SELECT document_id FROM relevance_labels WHERE label_id = $label_id AND is_relevant;
