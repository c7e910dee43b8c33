-- What did the check of a permutation test find?
INSERT OR REPLACE INTO drift_cross_checks BY NAME
SELECT
    $window_end AS window_end,
    $window_s AS window_s,
    $model AS model,
    $dimension AS dimension,
    $backend AS backend,
    $version AS version,
    $mmd2 AS mmd2,
    $p AS p,
    $permutations AS permutations,
    $difference AS difference,
    $checked_at AS checked_at;
