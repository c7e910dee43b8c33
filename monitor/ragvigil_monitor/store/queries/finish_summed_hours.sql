-- Of which hours are the spans about to be removed? Their sums are final, also where they could not be made anew.
UPDATE summed_hours SET state = 'final' WHERE hour < $before AND state <> 'final';
