-- How did a signal run, at most one point a bucket of time: the one that a person must see?
SELECT
    series, window_s, unit, window_end, value, lower, upper, coalesce(limit_value, lower_limit_value) AS "limit", n, missing, state
FROM estimates
WHERE
    signal = $signal
    AND ($series IS NULL OR series = $series)
    AND ($window_s IS NULL OR window_s = $window_s)
    AND window_end >= $start
    AND window_end <= $end
QUALIFY row_number() OVER (
    PARTITION BY series, window_s, time_bucket(to_seconds($bucket_s), window_end)
    ORDER BY state = 'breach' DESC, state = 'no_data' DESC,
        if(limit_value IS NULL AND lower_limit_value IS NOT NULL, -value, value) DESC NULLS LAST, window_end DESC
) = 1
ORDER BY series, window_s, window_end;
