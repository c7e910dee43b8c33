-- Which answers came for an hour after its sums were final? They and their stages are added, the others stay as they are.
INSERT INTO answer_stages BY NAME
SELECT found.*
FROM observed_answer_stages($hour::TIMESTAMP, $hour::TIMESTAMP + INTERVAL 1 HOUR) AS found
ANTI JOIN (
    SELECT trace_id, answer_span_id
    FROM answer_stages
    WHERE started_at >= $hour AND started_at < $hour::TIMESTAMP + INTERVAL 1 HOUR
) AS known ON known.trace_id = found.trace_id AND known.answer_span_id = found.answer_span_id;
