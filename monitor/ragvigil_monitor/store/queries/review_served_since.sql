-- How many items has each stratum been served since a moment, and how many of them were given to one reviewer?
SELECT
    stratum,
    count(DISTINCT item_id) AS served,
    count(DISTINCT item_id) FILTER (WHERE reviewer = $reviewer) AS served_to_reviewer
FROM review_leases
WHERE leased_at >= $since
GROUP BY stratum;
