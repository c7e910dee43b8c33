"""Telemetry on disk while no receiver answers: segment files that any process may deliver later."""
