-- How many retrievals of the answers of a time range are in each stratum of the review, or in none for which reason?
SELECT stratum AS standing, sum(frame)::BIGINT AS n, max(probability) > 0 AS is_stratum
FROM review_rounds
WHERE answers_start >= $start AND answers_end <= $end
GROUP BY stratum
ORDER BY n DESC, stratum;
