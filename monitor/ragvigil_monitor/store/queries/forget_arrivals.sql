-- Which sums of an hour are made anew?
DELETE FROM arrivals WHERE hour >= $hour AND hour < $hour::TIMESTAMP + INTERVAL 1 HOUR;
