-- Since when, and why, does Phoenix not answer to annotations of what was said since a time? No row while it does.
SELECT min(sent.first_tried_at) AS since, arg_max(sent.last_error, sent.first_tried_at) AS last_error
FROM phoenix_annotations AS sent
INNER JOIN said_of_answers AS said ON said.source = sent.source AND said.identifier = sent.identifier
WHERE sent.state = 'unreached' AND said.said_at >= $said_since::TIMESTAMP
HAVING count(*) > 0;
