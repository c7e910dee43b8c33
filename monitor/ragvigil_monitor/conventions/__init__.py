"""What other instrumentations write, one file a convention: tables, and functions only where no table can say it."""
