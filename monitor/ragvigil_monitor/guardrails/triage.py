"""First triage: whether something new came with a change, or nothing did.

Candidates are the markers (releases and the like) to which an onset inside its 95 % interval could belong. Among them
one at which the onset lies makes a regression a suspicion; that there is none at all makes drift one. A value that
comes back is no marker, so going back to an old release looks like drift; the sentence says so.

How sure that is was measured (`python -m tests.simulations`): see docs/guardrails.md. The interval of 95 % rather than
80 % costs a few points of `drift-suspected` where nothing was released, and saves most of those where a release did it:
at a rise by half 1 to 7 % instead of 10 to 17 %.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from ragvigil_monitor.guardrails.models import Candidate, Triage, TriageVerdict
from ragvigil_monitor.guardrails.onset_dating import DatedOnset
from ragvigil_monitor.guardrails.triage_words import triage_sentence
from ragvigil_monitor.marker_kinds import MEASUREMENT
from ragvigil_monitor.signals.signal import Window
from ragvigil_monitor.statistics.marker_bayes_factor import AFTER_H, BEFORE_H
from ragvigil_monitor.store import Store

SEARCHED_LEVEL = 0.95
MOST_CANDIDATES = 20
STRONG = 10.0
"""Above this Bayes factor the onset lies at a marker."""
MARKERS_JOB = "markers"
"""The job that notes what is new."""
MOST_VALUES = 500
"""So many new values of a kind a service may have on a day; one that is new with each request would fill the store."""
_EARLIER, _LATER = timedelta(hours=AFTER_H), timedelta(hours=BEFORE_H)
"""How long before and after an onset the marker may lie to which it belongs."""


@dataclass(frozen=True, slots=True)
class Searched:
    """Between which times markers are candidates. known_until: up to when all are known; None: never."""

    start: datetime
    end: datetime
    known_until: datetime | None

    @property
    def is_known(self) -> bool:
        """Whether nothing can have been overlooked."""
        return self.known_until is not None and self.known_until >= self.end


def triaged(
    store: Store, guardrail: str, window: Window, dated: DatedOnset | None
) -> tuple[list[Candidate], Triage | None]:
    """Candidates, measurements and then the most probable first, and what they let suspect.

    A measurement is a candidate only where it is what this guardrail measures with: its `service` is the guardrail.
    A kind of which a service has new values all the time is none, and its real changes are not known.
    Without an onset: what was new in the window, and no verdict.
    """
    where = _searched(store, window, dated)
    crowded = _crowded(store, where)
    if crowded:
        where = replace(where, known_until=None)
    rows = store.rows("markers_between", earliest=where.start, latest=where.end)
    found = [
        Candidate(**row, bayes_factor=dated and dated.bayes_factor(row["first_seen_at"]))
        for row in rows
        if (row["kind"] != MEASUREMENT or row["service"] == guardrail) and (row["kind"], row["service"]) not in crowded
    ]
    near = sorted(found, key=lambda each: (each.kind != MEASUREMENT, -(each.bayes_factor or 0.0)))[:MOST_CANDIDATES]
    return near, None if dated is None else triage(near, where)


def triage(near: Sequence[Candidate], where: Searched) -> Triage:
    """What candidates let suspect, most probable first."""
    verdict = triage_verdict(near, is_known=where.is_known)
    sentence = triage_sentence(verdict, near, where.start, where.end)
    return Triage(verdict=verdict, sentence=sentence, searched_from=where.start, searched_until=where.end)


def triage_verdict(near: Sequence[Candidate], *, is_known: bool = True) -> TriageVerdict:
    """The verdict alone. is_known: false where a marker may have been overlooked; its absence says nothing then."""
    if any(each.kind == MEASUREMENT for each in near):
        return TriageVerdict.MEASUREMENT_CHANGE
    if any((each.bayes_factor or 0.0) > STRONG for each in near):
        return TriageVerdict.REGRESSION_SUSPECTED
    return TriageVerdict.UNDETERMINED if near or not is_known else TriageVerdict.DRIFT_SUSPECTED


def searched(dated: DatedOnset) -> tuple[datetime, datetime]:
    """Between which times a marker may lie to which an onset inside its interval of 95 % could belong."""
    earliest, latest = dated.interval(SEARCHED_LEVEL)
    return earliest - _EARLIER, latest + _LATER


def _searched(store: Store, window: Window, dated: DatedOnset | None) -> Searched:
    start, end = searched(dated) if dated else (window.start - _EARLIER, window.end)
    done = store.rows("watermark_of_job", job=MARKERS_JOB)
    return Searched(start, min(end, window.end), done[0]["done_up_to"] if done else None)


def _crowded(store: Store, where: Searched) -> set[tuple[str, str]]:
    """Kinds and services of which not every marker was noted."""
    rows = store.rows("crowded_kinds", earliest=where.start, latest=where.end, most=MOST_VALUES)
    return {(row["kind"], row["service"]) for row in rows}
