"""Alerts that are over: what was wrong, since when, for how long."""

from collections.abc import Iterable
from datetime import timedelta

from ragvigil_dashboards import formats
from ragvigil_dashboards.figures.links import signal_link
from ragvigil_dashboards.figures.names import series_title, signal_title
from ragvigil_dashboards.figures.reader import Reader
from ragvigil_dashboards.markup import Markup, table, tag
from ragvigil_dashboards.models import Alert

SHOWN_FOR = timedelta(days=14)
MOST_SHOWN = 10


def recently_resolved(alerts: Iterable[Alert], reader: Reader) -> list[Alert]:
    """The alerts that were resolved in the last two weeks, the latest first, at most ten."""
    recent = [alert for alert in alerts if alert.resolved_at and reader.now - alert.resolved_at <= SHOWN_FOR]
    return sorted(recent, key=lambda alert: alert.resolved_at or alert.opened_at, reverse=True)[:MOST_SHOWN]


def resolved_table(alerts: Iterable[Alert], reader: Reader) -> Markup:
    """One row an alert."""
    head = ["Guardrail", "Series", "What it said last", "Began", "Lasted", "Resolved"]
    return table(head, (_row(alert, reader) for alert in alerts))


def _row(alert: Alert, reader: Reader) -> list[str]:
    begun = alert.onset_at or alert.opened_at
    return [
        signal_link(alert.guardrail, signal_title(alert.guardrail)),
        series_title(alert.series),
        alert.sentence,
        tag("span", reader.when(begun), class_="rv-nowrap"),
        tag("span", formats.span(alert.last_breach_at - begun), class_="rv-nowrap"),
        tag("span", reader.ago(alert.resolved_at or alert.last_breach_at), class_="rv-nowrap"),
    ]
