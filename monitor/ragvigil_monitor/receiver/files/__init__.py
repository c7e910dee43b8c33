"""Export requests that lie in files: lines of OTLP/JSON, frames of a Collector, spool segments, bodies."""
