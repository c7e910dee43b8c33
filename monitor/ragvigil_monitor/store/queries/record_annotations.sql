-- What became of annotations that were tried?
INSERT INTO phoenix_annotations (
    source, identifier, state, attempts, refusals, first_tried_at, next_attempt_at, last_error
)
SELECT source, identifier, state, attempts, refusals, tried_at, next_attempt_at, last_error
FROM batch
ON CONFLICT (source, identifier) DO UPDATE SET
    state = excluded.state,
    attempts = excluded.attempts,
    refusals = excluded.refusals,
    next_attempt_at = excluded.next_attempt_at,
    last_error = excluded.last_error;
