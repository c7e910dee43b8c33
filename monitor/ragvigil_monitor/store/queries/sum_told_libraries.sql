-- Which libraries other than Ragvigil made the spans of each service that started in an hour?
INSERT INTO told_libraries BY NAME
SELECT $hour::TIMESTAMP AS hour, * FROM observed_libraries($hour::TIMESTAMP, $hour::TIMESTAMP + INTERVAL 1 HOUR);
