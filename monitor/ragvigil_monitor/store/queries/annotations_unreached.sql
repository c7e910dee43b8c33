-- Since when, and why, does Phoenix not answer to annotations? No row while it does.
SELECT min(first_tried_at) AS since, arg_max(last_error, first_tried_at) AS last_error
FROM phoenix_annotations
WHERE state = 'unreached'
HAVING count(*) > 0;
