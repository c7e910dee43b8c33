-- Of which hours are the spans about to be removed? Their sums are final.
UPDATE summed_hours SET state = 'final' WHERE hour < $before AND state = 'summed';
