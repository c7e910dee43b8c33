-- Up to which drawn answer does everything wait that the judge in use has not judged?
INSERT INTO judge_queues VALUES ($judge, $judge_version, $newest);
