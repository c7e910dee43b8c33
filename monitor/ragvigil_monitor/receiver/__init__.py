"""The receiver: OTLP in, rows out, acknowledged after the commit."""
