"""How query vectors are distributed: sums that jobs keep up to date, a frozen reference, and tests against it."""
