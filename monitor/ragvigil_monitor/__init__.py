"""Ragvigil."""
