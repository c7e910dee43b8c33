"""Since when: the onset of an alert, from hourly counts around its opening."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import numpy as np

from ragvigil_monitor.guardrails.finding import Finding, HoursBeyond
from ragvigil_monitor.guardrails.guardrail import Guardrail
from ragvigil_monitor.guardrails.hours_beyond import hours_beyond
from ragvigil_monitor.guardrails.incident import Incident
from ragvigil_monitor.statistics.marker_bayes_factor import marker_bayes_factor
from ragvigil_monitor.statistics.onset import Onset, onset
from ragvigil_monitor.store import Store

SEARCHED_BEFORE = timedelta(hours=120)
"""How far before the alert its onset is looked for."""
SHARPENED_FOR = timedelta(hours=72)
"""How long after the opening later data may still move the onset: a day leaves a quarter of the doublings undetermined
at 17 answers an hour, three days a fifth; of rises by half, 55 and 27 % have no onset."""
SHOWN_LEVEL = 0.80
_HOUR = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class DatedOnset:
    """An onset in hours from `start`.

    The hour before the first full one may have been half in the change, so an interval begins an hour before it.
    """

    start: datetime
    onset: Onset

    @property
    def at(self) -> datetime:
        """The first full hour."""
        return self.start + self.onset.at * _HOUR

    def interval(self, level: float) -> tuple[datetime, datetime]:
        """From when to when it began with at least this probability."""
        first, last = self.onset.interval(level)
        return self.start + (first - 1) * _HOUR, self.start + (last + 1) * _HOUR

    def bayes_factor(self, marker_at: datetime) -> float:
        """How much the counts speak for a beginning at this marker rather than at another time."""
        return marker_bayes_factor(self.onset.probabilities, (marker_at - self.start) / _HOUR)


@dataclass(frozen=True, slots=True)
class OnsetTimes:
    """The first full hour of the change, and an 80 % interval for its beginning; all None when undecided."""

    at: datetime | None = None
    earliest: datetime | None = None
    latest: datetime | None = None
    dated: DatedOnset | None = None


def onset_times(store: Store, guardrail: Guardrail[Any], incident: Incident, finding: Finding) -> OnsetTimes:
    """Since when more observations lie beyond the limit, from hourly counts around the opening of the alert."""
    start = incident.opened_at - SEARCHED_BEFORE
    end = min(incident.last_breach_at, incident.opened_at + SHARPENED_FOR)
    counts = _by_hour(store, guardrail, finding, start, end)
    dated = None if counts is None else dated_onset(start, counts)
    return OnsetTimes() if dated is None else OnsetTimes(dated.at, *dated.interval(SHOWN_LEVEL), dated)


def dated_onset(start: datetime, counts: HoursBeyond) -> DatedOnset | None:
    """The onset in hourly counts from `start`; None when undecided.

    Hours before the first and after the last observation cannot hold it: with them, any other hour would look likely.
    """
    with_traffic = np.flatnonzero(counts.totals)
    if not len(with_traffic):
        return None
    first, end = int(with_traffic[0]), int(with_traffic[-1]) + 1
    found = onset(counts.beyond[first:end], counts.totals[first:end])
    return None if found is None else DatedOnset(start + first * _HOUR, found)


def _by_hour(
    store: Store, guardrail: Guardrail[Any], finding: Finding, start: datetime, end: datetime
) -> HoursBeyond | None:
    if finding.investigation is not None:
        return finding.investigation.by_hour(store, start, end)
    beyond = finding.beyond
    if beyond is None:
        return None
    return hours_beyond(store, guardrail.signal.name, finding.series, beyond, start, end)
