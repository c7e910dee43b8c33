"""From finished spans to a receiver: a bounded queue, a background thread, an exporter."""
