"""Guardrails: signal, rule, state, alert, notification."""
