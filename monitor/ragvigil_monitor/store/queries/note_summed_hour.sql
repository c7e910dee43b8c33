-- An hour has been added up.
INSERT INTO summed_hours (hour, state) VALUES ($hour, 'summed')
ON CONFLICT (hour) DO UPDATE SET state = 'summed', failures = 0, error = NULL;
