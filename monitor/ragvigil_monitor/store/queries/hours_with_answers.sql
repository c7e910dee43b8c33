-- In which hours of a window were answers given?
SELECT DISTINCT date_trunc('hour', started_at) AS hour
FROM answers
WHERE started_at >= $window_start AND started_at < $window_end;
