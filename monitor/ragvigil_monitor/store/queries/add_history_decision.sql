-- Somebody decided whether a span of time is part of the history of a guardrail.
INSERT INTO history_decisions (guardrail, series, starts_at, ends_at, counts, reason, author, decided_at)
VALUES ($guardrail, $series, $starts_at, $ends_at, $counts, $reason, $author, $decided_at);
