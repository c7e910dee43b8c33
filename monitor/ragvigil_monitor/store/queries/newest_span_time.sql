-- When did the newest stored span begin? NULL without spans.
SELECT max(started_at) AS newest_at FROM spans;
