"""What was planted against what the monitor found: the report of a headless run."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from ragvigil_monitor.api.models import Alert
from ragvigil_monitor.demo.evidence_report import EvidenceReport
from ragvigil_monitor.demo.incidents import Planted

AFTERMATH = timedelta(hours=48)
"""How long after its end an incident still explains an alert."""


@dataclass(frozen=True, slots=True)
class Volume:
    """How much was simulated and how much of it arrived."""

    seed: int
    end: datetime
    answers: int
    days: float
    spans_sent: int
    spans_stored: int

    def failures(self) -> list[str]:
        """What is wrong with the telemetry, a sentence each."""
        if self.spans_sent == 0:
            return ["The app sent no spans at all."]
        if self.spans_sent != self.spans_stored:
            return [f"The app sent {self.spans_sent} spans, but {self.spans_stored} are in the store."]
        return []


@dataclass(frozen=True, slots=True)
class Finding:
    """A planted incident and the first alert of its own guardrail; None: missed."""

    planted: Planted
    alert: Alert | None

    @property
    def delay_h(self) -> float | None:
        """Hours from planting to the alert."""
        if self.alert is None:
            return None
        return (self.alert.opened_at - self.planted.planted_at).total_seconds() / 3600

    @property
    def slice(self) -> str | None:
        """The slice that the alert names first; None where it names none."""
        slices = self.alert.evidence.slices if self.alert else []
        return f"{slices[0].name}={slices[0].value}" if slices else None

    @property
    def triage(self) -> str | None:
        """What the alert suspects; None where it suspects nothing."""
        triage = self.alert.evidence.triage if self.alert else None
        return triage.verdict.value if triage else None


@dataclass(frozen=True, slots=True)
class Report:
    """Findings, false alarms, and alerts that some incident explains without being its detection."""

    volume: Volume
    evidence: EvidenceReport
    wall_s: float
    findings: tuple[Finding, ...]
    false_alarms: tuple[Alert, ...]
    secondary: tuple[Alert, ...]

    def failures(self) -> list[str]:
        """Why the run failed, a sentence each; empty when it did not."""
        missed = [
            f"{finding.planted.incident.kind} was not found by {finding.planted.incident.guardrail}."
            for finding in self.findings
            if finding.alert is None
        ]
        return missed + self.volume.failures() + self.evidence.failures()

    def as_json(self) -> dict[str, Any]:
        """The report as it is written to a file."""
        volume = self.volume
        return {
            "seed": volume.seed,
            "end": volume.end.isoformat(),
            "answers": volume.answers,
            "spans_sent": volume.spans_sent,
            "spans_stored": volume.spans_stored,
            "days": volume.days,
            "wall_s": round(self.wall_s, 1),
            "incidents": [_incident(finding) for finding in self.findings],
            "false_alarms": [_alert(alert) for alert in self.false_alarms],
            "secondary": [_alert(alert) for alert in self.secondary],
            **self.evidence.as_json(),
        }


def judge(
    volume: Volume, planted: Sequence[Planted], alerts: Iterable[Alert], evidence: EvidenceReport, *, wall_s: float
) -> Report:
    """Compare what was planted with the alerts of the monitor.

    An incident is found by the first alert of its own guardrail that opened between its planting and 48 h after its
    end. An alert that overlaps no such span is false; the others are secondary.
    """
    in_order = sorted(alerts, key=lambda alert: (alert.opened_at, alert.guardrail, alert.series))
    findings = tuple(Finding(one, _first(one, in_order)) for one in planted)
    detections = {finding.alert.alert_id for finding in findings if finding.alert}
    others = [alert for alert in in_order if alert.alert_id not in detections]
    explained = [alert for alert in others if any(_overlaps(alert, one) for one in planted)]
    false = [alert for alert in others if alert not in explained]
    return Report(volume, evidence, wall_s, findings, tuple(false), tuple(explained))


def _first(planted: Planted, alerts: Iterable[Alert]) -> Alert | None:
    return next((alert for alert in alerts if _detects(alert, planted)), None)


def _detects(alert: Alert, planted: Planted) -> bool:
    in_time = planted.planted_at <= alert.opened_at <= planted.ended_at + AFTERMATH
    return in_time and alert.guardrail == planted.incident.guardrail


def _overlaps(alert: Alert, planted: Planted) -> bool:
    still_open = alert.resolved_at is None or alert.resolved_at >= planted.planted_at
    return still_open and alert.opened_at <= planted.ended_at + AFTERMATH


def _incident(finding: Finding) -> dict[str, Any]:
    planted, alert = finding.planted, finding.alert
    return {
        "kind": planted.incident.kind,
        "planted_at": planted.planted_at.isoformat(),
        "ended_at": planted.ended_at.isoformat(),
        "detected_at": alert.opened_at.isoformat() if alert else None,
        "delay_h": None if finding.delay_h is None else round(finding.delay_h, 2),
        "guardrail": planted.incident.guardrail,
        "slice": finding.slice,
        "triage": finding.triage,
    }


def _alert(alert: Alert) -> dict[str, Any]:
    return {"guardrail": alert.guardrail, "series": alert.series, "at": alert.opened_at.isoformat()}
