-- Which sums of an hour are made anew?
DELETE FROM answer_stages WHERE started_at >= $hour AND started_at < $hour::TIMESTAMP + INTERVAL 1 HOUR;
