-- Of which hours, with some that start in a time range, were the spans removed for their age?
SELECT hour
FROM summed_hours
WHERE state IN ('final', 'added_to') AND hour BETWEEN date_trunc('hour', $earliest::TIMESTAMP) AND $latest::TIMESTAMP;
