-- Of which hours are the spans about to be removed? Their sums are final; where they could not be made anew, answers that
-- they lack are still added.
UPDATE summed_hours SET state = if(state = 'stale', 'added_to', 'final') WHERE hour < $before AND state IN ('stale', 'summed');
