-- At which stage was the evidence lost, for the reviewed retrievals of a time range that had any? NULL: not known.
SELECT lost_at AS stage, count(*) AS n
FROM relevance_outcomes
WHERE started_at >= $start AND started_at < $end AND has_evidence
GROUP BY lost_at
ORDER BY lost_at;
