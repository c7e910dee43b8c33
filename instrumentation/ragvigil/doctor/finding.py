"""One thing that was checked, and what came out."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

Verdict: TypeAlias = Literal["ok", "warning", "problem"]


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check: what was looked at, what was found, and what to do unless all is well."""

    check: str
    verdict: Verdict
    detail: str
    advice: str = ""

    def __str__(self) -> str:
        advice = f" → {self.advice}" if self.advice else ""
        return f"{self.verdict:7}  {self.check}: {self.detail}{advice}"


def ok(check: str, detail: str) -> Finding:
    """All is well."""
    return Finding(check, "ok", detail)


def warning(check: str, detail: str, advice: str) -> Finding:
    """Something is missing or may be wrong; telemetry still flows."""
    return Finding(check, "warning", detail, advice)


def problem(check: str, detail: str, advice: str) -> Finding:
    """Telemetry is lost, or does not flow."""
    return Finding(check, "problem", detail, advice)
