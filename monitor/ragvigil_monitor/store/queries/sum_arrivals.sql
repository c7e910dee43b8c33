-- Which process sent how many spans that started in an hour?
INSERT INTO arrivals BY NAME
SELECT $hour::TIMESTAMP AS hour, * FROM observed_arrivals($hour::TIMESTAMP, $hour::TIMESTAMP + INTERVAL 1 HOUR);
