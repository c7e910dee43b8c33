-- How much has a reviewer labelled, in all and since a moment?
SELECT count(*) AS labelled, count(*) FILTER (WHERE labelled_at >= $since) AS labelled_today
FROM review_labels
WHERE reviewer = $reviewer;
