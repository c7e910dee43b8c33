-- Which answers were given again, of a batch of answers that are none after all? The ones that they belong to.
UPDATE answers
SET regeneration_of = batch.new_answer_id
FROM batch
WHERE answers.regeneration_of = batch.answer_id AND answers.started_at >= $start::TIMESTAMP;
