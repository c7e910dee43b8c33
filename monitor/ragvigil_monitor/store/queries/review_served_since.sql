-- How many items has each stratum been served since a moment?
SELECT stratum, count(*) AS served
FROM review_leases
WHERE leased_at >= $since
GROUP BY stratum;
