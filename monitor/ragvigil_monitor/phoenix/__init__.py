"""Arize Phoenix beside Ragvigil: a share of the traces goes there, and what people said of their answers."""
