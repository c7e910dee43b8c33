-- How often did a judge say what of the answers that people had labelled by some time, by what the first of them said?
-- is_below: the score lies below $cut; NULL for an answer without a score.
SELECT label, score < $cut AS is_below, count(*) AS n
FROM judged_labels
WHERE judge = $judge AND judge_version = $judge_version AND labelled_at < $known_before
GROUP BY ALL;
