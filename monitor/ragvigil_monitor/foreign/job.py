"""Settle what other instrumentations have sent: its answers, and the steps that several of them tell of."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from ragvigil_monitor.conventions.genai import SPEAKING_EVENTS
from ragvigil_monitor.foreign.echoes import Echoes, echoes
from ragvigil_monitor.foreign.settling import calls_of, settle
from ragvigil_monitor.foreign.unsettled import Problem, Reason, Waiting
from ragvigil_monitor.foreign.writing import write_problem_counts, write_settlements
from ragvigil_monitor.job import Turn, Write
from ragvigil_monitor.service import Service
from ragvigil_monitor.store import Store, Writer

OVERLAP: Final = timedelta(hours=1)
"""How far before its last run the job looks again, and how far spans of one trace may start apart."""
Row = Mapping[str, Any]
MOST_BYTES: Final = 16_000_000
"""How much of the store is held in memory together; a trace of more than that is left as it is."""
_NEAR: Final = timedelta(minutes=1)
"""How far from the spans of its call a log event may be."""


def settle_foreign(service: Service, turn: Turn, *, most_bytes: int = MOST_BYTES) -> Write:
    """Find the answers in what other instrumentations have sent since the last run, and count each step once.

    Each portion is read, judged, and then written in transactions of its own: what arrives meanwhile must not wait
    for all. A run that breaks off is repeated, and finds what is settled settled.
    """
    reach = {"earliest": turn.start - OVERLAP, "latest": turn.now + OVERLAP}
    within = {"start": turn.start - 2 * OVERLAP, "end": turn.now + 2 * OVERLAP}
    waiting: list[Waiting] = [*service.store.rows("foreign_traces_unsettled", **reach, **within)]
    changed = service.foreign.changed(waiting, turn.now)
    _note(service, turn, [each for each in changed if each["bytes"] > most_bytes], Reason.TOO_LARGE)
    portions = [*_portions((each for each in changed if each["bytes"] <= most_bytes), most_bytes)]
    repeated = _echoes_across(service.store, portions) if len(portions) > 1 else None
    for portion in portions:
        _settle_some(service, portion, turn, repeated)
    return _only_the_watermark


def _echoes_across(store: Store, portions: Iterable[Sequence[Waiting]]) -> Echoes:
    """What two traces tell of, which may be in different portions: all are read once more for that, one at a time."""
    asked = (_Portion.of(portion) for portion in portions)
    return echoes(said for portion in asked for said in calls_of(portion.spans(store), portion.events(store)))


def _only_the_watermark(writer: Writer) -> None:
    """Everything is written already."""


def _portions(waiting: Iterable[Waiting], most_bytes: int) -> Iterator[list[Waiting]]:
    """Traces that have at most so many bytes together."""
    portion: list[Waiting] = []
    held = 0
    for each in waiting:
        if portion and held + each["bytes"] > most_bytes:
            yield portion
            portion, held = [], 0
        portion.append(each)
        held += each["bytes"]
    if portion:
        yield portion


@dataclass(frozen=True, slots=True)
class _Portion:
    """Traces that are judged together, and between which times their spans began."""

    trace_ids: Sequence[bytes]
    earliest: datetime
    latest: datetime

    @classmethod
    def of(cls, waiting: Sequence[Waiting]) -> "_Portion":
        earliest, latest = min(each["earliest"] for each in waiting), max(each["latest"] for each in waiting)
        return cls([each["trace_id"] for each in waiting], earliest, latest)

    def spans(self, store: Store) -> Sequence[Row]:
        return store.rows("spans_to_settle", **self._within(timedelta(0), timedelta(microseconds=1)))

    def answers(self, store: Store) -> Sequence[Row]:
        return store.rows("answers_to_settle", **self._within(timedelta(0), timedelta(microseconds=1)))

    def events(self, store: Store) -> Sequence[Row]:
        return store.rows("messages_of_traces", event_names=list(SPEAKING_EVENTS), **self._within(_NEAR, OVERLAP))

    def _within(self, before: timedelta, after: timedelta) -> dict[str, object]:
        return {"trace_ids": self.trace_ids, "start": self.earliest - before, "end": self.latest + after}


def _settle_some(service: Service, waiting: Sequence[Waiting], turn: Turn, repeated: Echoes | None) -> None:
    store, known, portion = service.store, service.foreign, _Portion.of(waiting)
    rows, answers, events = portion.spans(store), portion.answers(store), portion.events(store)
    unchanged = known.unchanged_since()
    found = settle(rows, answers, events, now=turn.now, unchanged_since=unchanged, repeated=repeated)
    refused = write_settlements(store, found.settlements)
    known.finish(found.final)
    known.mended(each.trace_id for each in found.settlements if each.trace_id not in refused)
    failures = {**found.failures, **refused}
    _note(service, turn, [each for each in waiting if each["trace_id"] in failures], Reason.FAILED, failures)


def _note(
    service: Service,
    turn: Turn,
    traces: Sequence[Waiting],
    reason: Reason,
    failures: Mapping[bytes, Exception] | None = None,
) -> None:
    problems = [
        Problem(
            each["trace_id"], each["service"], reason, _detail(each, (failures or {}).get(each["trace_id"])), turn.now
        )
        for each in traces
    ]
    for problem in problems:
        service.foreign.note(problem)
    write_problem_counts(service.store, problems, turn.now)


def _detail(trace: Waiting, failure: Exception | None) -> str:
    size = f"{trace['spans']} spans, {trace['bytes'] / 1e6:.1f} MB"
    return size if failure is None else f"{type(failure).__name__}: {failure}"[:300]
