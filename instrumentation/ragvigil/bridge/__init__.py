"""Finished spans for the span processors of the application's own `TracerProvider`; off the request thread."""
