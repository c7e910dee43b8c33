-- What said of answers since a time is to be sent to Phoenix now, oldest first? Nothing while it is not reached.
SELECT
    said.source, said.identifier, said.label, said.trace_id, said.span_id,
    coalesce(sent.attempts, 0) AS attempts, coalesce(sent.refusals, 0) AS refusals
FROM said_of_answers AS said
LEFT JOIN phoenix_annotations AS sent ON sent.source = said.source AND sent.identifier = said.identifier
WHERE said.said_at >= $since::TIMESTAMP
    AND (sent.state IS NULL OR (sent.state IN ('pending', 'unreached') AND sent.next_attempt_at <= $now::TIMESTAMP))
    AND NOT EXISTS (FROM phoenix_annotations WHERE state = 'unreached' AND next_attempt_at > $now::TIMESTAMP)
ORDER BY said.said_at, said.source, said.identifier
LIMIT $most;
