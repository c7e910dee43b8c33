-- How much do the answers and searches of each service that started in an hour tell about themselves?
INSERT INTO told_hours BY NAME
SELECT $hour::TIMESTAMP AS hour, * FROM observed_telling($hour::TIMESTAMP, $hour::TIMESTAMP + INTERVAL 1 HOUR);
