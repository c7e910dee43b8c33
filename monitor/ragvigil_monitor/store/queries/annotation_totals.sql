-- What became of the annotations for Phoenix, and since when is it not reached, why?
SELECT
    count(*) FILTER (sent.state = 'delivered') AS delivered,
    count(*) FILTER (sent.state IS NULL OR sent.state IN ('pending', 'unreached')) AS waiting,
    count(*) FILTER (sent.state = 'given_up') AS given_up,
    count(*) FILTER (sent.state = 'not_forwarded') AS not_forwarded,
    min(sent.first_tried_at) FILTER (sent.state = 'unreached') AS unreached_since,
    arg_max(sent.last_error, sent.first_tried_at) FILTER (sent.state IN ('unreached', 'given_up')) AS last_error
FROM said_of_answers AS said
LEFT JOIN phoenix_annotations AS sent ON sent.source = said.source AND sent.identifier = said.identifier
WHERE said.said_at >= $since::TIMESTAMP;
