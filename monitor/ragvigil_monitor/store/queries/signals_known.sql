-- Which signals have estimates since a time, of which series, over which windows?
SELECT
    signal,
    arg_max(unit, window_end) AS unit,
    list_sort(list(DISTINCT series)) AS series,
    list_sort(list(DISTINCT window_s)) AS windows_s
FROM estimates
WHERE window_end >= $since
GROUP BY signal
ORDER BY signal;
