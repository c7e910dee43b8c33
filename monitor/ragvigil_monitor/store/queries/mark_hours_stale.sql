-- Which hours have to be added up again? To what is final, answers are only added.
INSERT INTO summed_hours (hour, state)
SELECT make_timestamp(unnest($hours_us::BIGINT[])), 'stale'
ON CONFLICT (hour) DO UPDATE SET state = if(summed_hours.state = 'final', 'added_to', 'stale')
WHERE summed_hours.state IN ('summed', 'final');
