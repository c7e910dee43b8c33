-- Which sums of an hour are made anew?
DELETE FROM told_hours WHERE hour >= $hour AND hour < $hour::TIMESTAMP + INTERVAL 1 HOUR;
