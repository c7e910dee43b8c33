"""Says in plain words whether telemetry leaves, arrives and is complete, and what to do about it."""

from ragvigil.doctor.finding import Finding, Verdict

__all__ = ["Finding", "Verdict", "diagnosis"]


def diagnosis() -> tuple[Finding, ...]:
    """What is well and what is not in this process: recording, delivery, losses, keys, probes, adapters.

    Reads a few counters, so an application may print it at start-up or serve it. Never raises and never waits.
    """
    from ragvigil.doctor.process import examined  # few processes ask

    return examined()
