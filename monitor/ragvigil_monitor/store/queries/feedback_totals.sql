-- How much feedback of each kind was given in a window, and what became of it?
SELECT
    service,
    kind,
    count(*) AS given,
    count(answer_started_at) AS joined,
    count(*) FILTER (answer_started_at IS NULL AND given_at >= $parked_since::TIMESTAMP) AS parked,
    count(*) FILTER (answer_started_at IS NULL AND given_at < $parked_since::TIMESTAMP) AS unmatched,
    count(*) FILTER (occurred_at > observed_at + INTERVAL 1 MINUTE) AS future_dated,
    count(*) FILTER (answer_started_at > least(occurred_at, observed_at)) AS before_its_answer
FROM feedback
WHERE given_at >= $window_start::TIMESTAMP AND given_at < $window_end::TIMESTAMP
GROUP BY service, kind
ORDER BY service, kind;
