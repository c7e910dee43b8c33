-- An hour could not be added up.
UPDATE summed_hours SET failures = failures + 1, error = $error WHERE hour = $hour;
