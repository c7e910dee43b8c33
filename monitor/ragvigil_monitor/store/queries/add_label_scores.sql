-- What did judges say of the labelled answers that started from $start to $end, both included? What is known stays.
INSERT INTO label_scores
SELECT * FROM scores_of_labelled($start::TIMESTAMP, $end::TIMESTAMP)
EXCEPT
SELECT * FROM label_scores;
