-- How many items has a reviewer passed over since a moment?
SELECT count(*) AS skipped_today FROM review_skips WHERE reviewer = $reviewer AND skipped_at >= $since;
