"""Data in and out: export as Parquet and OTLP, import of both, from a store or a running service."""
