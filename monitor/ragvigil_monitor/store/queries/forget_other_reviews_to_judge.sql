-- Forget what waits for judges that are not in use.
DELETE FROM reviews_to_judge WHERE (judge, judge_version) <> ($judge, $judge_version);
