-- What came of the sampled answers of a time range, judge by judge? reason NULL: they have a score.
SELECT judge, judge_version, reason, count(*) AS n
FROM judge_scores
WHERE in_sample AND started_at >= $start AND started_at < $end
GROUP BY judge, judge_version, reason
ORDER BY judge, judge_version, n DESC, reason;
