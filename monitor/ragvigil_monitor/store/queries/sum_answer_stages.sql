-- What did each answer that started in an hour take and cost, as a whole and stage by stage?
INSERT INTO answer_stages BY NAME
SELECT * FROM observed_answer_stages($hour::TIMESTAMP, $hour::TIMESTAMP + INTERVAL 1 HOUR);
