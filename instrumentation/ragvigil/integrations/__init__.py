"""Ready connections to frameworks and databases, each imported only by those who use it."""
