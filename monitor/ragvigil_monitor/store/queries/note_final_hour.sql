-- What came for an hour after its sums were final has been added.
UPDATE summed_hours SET state = 'final', failures = 0, error = NULL WHERE hour = $hour AND state = 'added_to';
