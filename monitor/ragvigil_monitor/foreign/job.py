"""Settle what other instrumentations have sent: its answers, and the steps that several of them tell of."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Final

from ragvigil_monitor.conventions.genai import SPEAKING_EVENTS
from ragvigil_monitor.foreign.settling import settle
from ragvigil_monitor.foreign.unsettled import Problem, Reason, Waiting
from ragvigil_monitor.foreign.writing import write_problem_counts, write_settlements
from ragvigil_monitor.job import Turn, Write
from ragvigil_monitor.service import Service
from ragvigil_monitor.store import Writer

OVERLAP: Final = timedelta(hours=1)
"""How far before its last run the job looks again, and how far spans of one trace may start apart."""
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
    for portion in _portions((each for each in changed if each["bytes"] <= most_bytes), most_bytes):
        _settle_some(service, portion, turn)
    return _only_the_watermark


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


def _settle_some(service: Service, portion: Sequence[Waiting], turn: Turn) -> None:
    store, known = service.store, service.foreign
    trace_ids = [each["trace_id"] for each in portion]
    earliest, latest = min(each["earliest"] for each in portion), max(each["latest"] for each in portion)
    asked = {"trace_ids": trace_ids, "start": earliest, "end": latest + timedelta(microseconds=1)}
    spoken = {**asked, "start": earliest - _NEAR, "end": latest + OVERLAP, "event_names": list(SPEAKING_EVENTS)}
    rows, answers = store.rows("spans_to_settle", **asked), store.rows("answers_to_settle", **asked)
    events = store.rows("messages_of_traces", **spoken)
    found = settle(rows, answers, events, now=turn.now, unchanged_since=known.unchanged_since())
    refused = write_settlements(store, found.settlements)
    known.finish(found.final)
    known.mended(each.trace_id for each in found.settlements if each.trace_id not in refused)
    failures = {**found.failures, **refused}
    _note(service, turn, [each for each in portion if each["trace_id"] in failures], Reason.FAILED, failures)


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
