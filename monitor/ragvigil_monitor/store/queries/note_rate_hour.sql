-- Of how much was an hour of a rate counted?
INSERT OR REPLACE INTO rate_hours (signal, hour, answers, feedback) VALUES ($signal, $hour, $answers, $feedback);
