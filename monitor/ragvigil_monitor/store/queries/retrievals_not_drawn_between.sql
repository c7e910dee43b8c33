-- How many retrievals of the answers of a time range belong to no stratum of the relevance review, and why?
SELECT stratum AS reason, sum(frame)::BIGINT AS n
FROM review_rounds
WHERE answers_start >= $start AND answers_end <= $end AND probability = 0
GROUP BY stratum
ORDER BY n DESC, stratum;
