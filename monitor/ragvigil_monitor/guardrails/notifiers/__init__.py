"""Notifiers: one file a channel; what is sent lies in an outbox first."""
