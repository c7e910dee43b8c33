"""Says in plain words whether telemetry leaves, arrives and is complete, and what to do about it."""

from ragvigil.doctor.finding import Finding, Verdict
from ragvigil.doctor.process import diagnosis

__all__ = ["Finding", "Verdict", "diagnosis"]
