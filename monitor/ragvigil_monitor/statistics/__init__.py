"""Statistics: one method a file, pure functions, results that say how sure they are."""
