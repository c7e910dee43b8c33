"""From recorded spans to OTLP; runs in the background thread only."""
