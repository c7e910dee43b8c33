"""Backups of the store: taken from a running service or a file at rest, checked, and restored."""
