"""How complete the telemetry of each service is, hour by hour."""

from collections.abc import Iterable
from datetime import timedelta

from ragvigil_dashboards import formats
from ragvigil_dashboards.figures.reader import Reader
from ragvigil_dashboards.figures.states import Look, pill
from ragvigil_dashboards.markup import Markup, foreign, table
from ragvigil_dashboards.models import CompletenessHour

_COMPLETE = Look("✓", "Complete", "good", 2)
_PARTLY_COUNTED = Look("◐", "Partly counted", "warn", 1)
_NOT_COUNTED = Look("○", "No counts received", "warn", 1)
_ON_THE_WAY = Look("…", "On the way", "calm", 1)
_LOSSES = Look("▲", "Losses", "bad", 0)
_MISSING = Look("▲", "Missing", "bad", 0)
_HOUR = timedelta(hours=1)
_ARRIVES_WITHIN = timedelta(hours=2)
_COUNTED_WITHIN = timedelta(minutes=2)
"""Processes report each minute."""


def hour_table(hours: Iterable[CompletenessHour], reader: Reader) -> Markup:
    """One row a service and hour: what began by the counts of its processes, and what is stored."""
    head = ["State", "Hour", "Service", "Started", "Dropped", "Stored", "Share", "Stored without counts"]
    return table(head, (_row(hour, reader) for hour in hours), right=range(3, 8))


def verdict_of(hour: CompletenessHour, reader: Reader) -> Look:
    """Whether an hour lost something; without counts nobody knows, and never is it complete."""
    age = reader.now - hour.hour
    if hour.started is None:
        return _ON_THE_WAY if age < _COUNTED_WITHIN else _NOT_COUNTED
    if hour.dropped:
        return _LOSSES
    if hour.stored < hour.started:
        return _ON_THE_WAY if age < _ARRIVES_WITHIN else _MISSING
    if hour.uncounted:
        return _ON_THE_WAY if age < _HOUR + _COUNTED_WITHIN else _PARTLY_COUNTED
    return _COMPLETE


def _row(hour: CompletenessHour, reader: Reader) -> list[str]:
    counted = hour.started is not None
    return [
        pill(verdict_of(hour, reader)),
        reader.when(hour.hour),
        foreign(hour.service, longest=60),
        formats.count(hour.started),
        formats.count(hour.dropped),
        formats.count(hour.stored if counted else None),
        formats.percent(hour.share),
        formats.count(hour.uncounted),
    ]
