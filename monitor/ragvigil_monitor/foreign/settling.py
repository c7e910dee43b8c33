"""What has to be written so that the store says what the spans of a trace amount to."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final, TypeVar

import orjson

from ragvigil_monitor.conventions.genai import messages_of
from ragvigil_monitor.foreign.answers import owners
from ragvigil_monitor.foreign.echoes import Echoes, Said, echoes, said_in
from ragvigil_monitor.foreign.keeping import is_found, keep
from ragvigil_monitor.foreign.reading import answer_id, answer_row
from ragvigil_monitor.foreign.repeats import NOTES, Columns, changes
from ragvigil_monitor.foreign.tree import Node, Trace, grow
from ragvigil_monitor.foreign.usage import USAGE
from ragvigil_monitor.foreign.vectors import vector_row, without_vector

QUIET: Final = timedelta(seconds=10)
"""A trace is looked at when nothing in it has ended for so long: exporters send every few seconds."""
PATIENCE: Final = timedelta(minutes=2)
"""After so long without anything new, parents that have not arrived are not waited for."""
Row = Mapping[str, Any]
Stored = Mapping[bytes, Row]
"""The answers that the store has of a trace, by span id."""
Result = TypeVar("Result")
_CHANGED: Final = ("answer_span_id", "stage", *USAGE, "query_text", "attributes")


@dataclass(slots=True)
class Settlement:
    """Of one trace the answers to add, those that are none after all, spans as they should be, and query vectors.

    superseded: `trace_id`, `span_id`, `started_at` and `answer_id`, and with `new_` before it what goes in its place.
    """

    trace_id: bytes
    answers: list[dict[str, Any]] = field(default_factory=list)
    superseded: list[dict[str, Any]] = field(default_factory=list)
    spans: list[dict[str, Any]] = field(default_factory=list)
    vectors: list[dict[str, Any]] = field(default_factory=list)


@dataclass(slots=True)
class Found:
    """What was found. failures: traces that could not be judged, by id. final: those of which no more is expected."""

    settlements: list[Settlement] = field(default_factory=list)
    failures: dict[bytes, Exception] = field(default_factory=dict)
    final: set[bytes] = field(default_factory=set)

    def attempt(self, trace_id: bytes, work: Callable[[], Result]) -> Result | None:
        """Do what must not stop the other traces from being judged; None where it fails."""
        try:
            return work()
        except Exception as failure:  # noqa: BLE001 - whatever others send: it is counted, and shown
            self.failures[trace_id] = failure
            return None


def settle(
    rows: Iterable[Row],
    answers: Iterable[Row],
    events: Iterable[Row] = (),
    *,
    now: datetime,
    unchanged_since: Mapping[bytes, datetime] | None = None,
    repeated: Echoes | None = None,
) -> Found:
    """Judge whole traces, each by itself.

    rows: all their spans; answers: those that the store has of them; events: log events in which models and users
    spoke; unchanged_since: by trace since when nothing of it has arrived, whatever the clocks of its spans say;
    repeated: calls that do not count, where other traces than these were compared too.
    """
    found = Found()
    stored = {trace_id: {each["span_id"]: each for each in some} for trace_id, some in _by_trace(answers).items()}
    traces = _traces(rows, events, found)
    repeated = echoes(_said(traces, found)) if repeated is None else repeated
    for trace_id, trace in traces.items():
        arrived_at = (unchanged_since or {}).get(trace_id, now)
        known = stored.get(trace_id, {})
        found.attempt(trace_id, partial(_judge, trace_id, trace, known, repeated, now, arrived_at, found))
    return found


def calls_of(rows: Iterable[Row], events: Iterable[Row]) -> list[Said]:
    """The calls that whole traces tell of, to be compared with those of others."""
    found = Found()
    return _said(_traces(rows, events, found), found)


def _by_trace(rows: Iterable[Row]) -> dict[bytes, list[Row]]:
    found: defaultdict[bytes, list[Row]] = defaultdict(list)
    for row in rows:
        found[row["trace_id"]].append(row)
    return found


def _traces(rows: Iterable[Row], events: Iterable[Row], found: Found) -> dict[bytes, Trace]:
    spoken = _by_trace(events)
    traces = {}
    for trace_id, spans in _by_trace(rows).items():
        trace = found.attempt(trace_id, partial(_trace, spans, spoken.get(trace_id, [])))
        if trace is not None:
            traces[trace_id] = trace
    return traces


def _trace(rows: Sequence[Row], events: Sequence[Row]) -> Trace:
    told: defaultdict[bytes, dict[str, object]] = defaultdict(dict)
    for event in events:
        told[event["span_id"]] |= messages_of(event["event_name"], event["body"], _attributes(event))
    return grow([Node(row, {**told.get(row["span_id"], {}), **_attributes(row)}) for row in rows])


def _said(traces: Mapping[bytes, Trace], found: Found) -> list[Said]:
    each_said = (found.attempt(trace_id, partial(_calls, trace)) for trace_id, trace in traces.items())
    return [said for some in each_said for said in some or ()]


def _calls(trace: Trace) -> list[Said]:
    return list(said_in(trace))


def _judge(
    trace_id: bytes,
    trace: Trace,
    stored: Stored,
    repeated: Echoes,
    now: datetime,
    arrived_at: datetime,
    found: Found,
) -> None:
    """A trace in which every span lies below itself amounts to nothing."""
    ended_at = max((node.ended_at for node in trace.all()), default=arrived_at)
    silent = now - min(ended_at, arrived_at)
    if silent >= PATIENCE:
        found.final.add(trace_id)
    if silent >= QUIET and trace.roots and trace_id not in found.failures:
        found.settlements.append(_settlement(trace_id, trace, stored, repeated, is_complete=silent >= PATIENCE))


def _settlement(trace_id: bytes, trace: Trace, stored: Stored, repeated: Echoes, *, is_complete: bool) -> Settlement:
    """Where the application says itself what its answers are, none is found, and what was found before is none."""
    own = [row for row in stored.values() if not is_found(row)]
    echoed = {node for node in trace.all() if node.key in repeated.keys}
    beside = {node: repeated.usage[node.key] for node in trace.all() if node.key in repeated.usage}
    belongs = {} if own else keep(owners(trace, echoed, is_complete=is_complete), stored)
    result = Settlement(trace_id)
    _settle_answers(belongs, stored, result)
    if own:
        _give_way(stored, own, result)
    _settle_spans(trace, belongs, changes(trace, echoed, beside), result)
    return result


def _settle_answers(belongs: Mapping[Node, Node], stored: Stored, result: Settlement) -> None:
    owned: defaultdict[Node, list[Node]] = defaultdict(list)
    for node, answer in belongs.items():
        owned[answer].append(node)
        if node is not answer and node.span_id in stored:
            name = answer_id(result.trace_id, answer.span_id)
            result.superseded.append(_superseded(stored[node.span_id], answer.span_id, answer.started_at, name))
    for answer, nodes in owned.items():
        row = answer_row(answer, nodes)
        if answer.span_id not in stored:
            result.answers.append(row)
        vector = vector_row(answer, nodes, row["question"])
        result.vectors += [vector] if vector else []


def _give_way(stored: Stored, own: Sequence[Row], result: Settlement) -> None:
    """To the answers that the application names: to the one that was being given when the other began."""
    for row in stored.values():
        if is_found(row) and not row["is_used"]:
            before = [each for each in own if each["started_at"] <= row["started_at"]]
            near = max(before, key=lambda each: each["started_at"], default=own[0])
            result.superseded.append(_superseded(row, near["span_id"], near["started_at"], near["answer_id"]))


def _superseded(row: Row, span_id: bytes, started_at: datetime, name: str) -> dict[str, Any]:
    old = {each: row[each] for each in ("trace_id", "span_id", "started_at", "answer_id")}
    return {**old, "new_span_id": span_id, "new_started_at": started_at, "new_answer_id": name}


def _settle_spans(trace: Trace, belongs: Mapping[Node, Node], changed: Columns, result: Settlement) -> None:
    gone = {row["span_id"] for row in result.superseded}
    for node in trace.all():
        row = node.row
        wanted = dict(changed.get(node, {}))
        owner = belongs[node].span_id if node in belongs else None
        if owner != row["answer_span_id"] and (owner is not None or row["answer_span_id"] in gone):
            wanted["answer_span_id"] = owner
        wanted |= _wanted_attributes(node, wanted.pop("attributes", None), is_owned=owner is not None)
        if wanted:
            key = {name: row[name] for name in ("trace_id", "span_id", "started_at")}
            given = {name: row[name] for name in _CHANGED}
            result.spans.append({**key, **given, **wanted})


def _wanted_attributes(node: Node, notes: Mapping[str, object] | None, *, is_owned: bool) -> dict[str, str]:
    """With what is noted of its stage, tokens and cost, and without a vector that is or will never be used."""
    bare = without_vector(node) if is_owned else None
    if notes is None and bare is None:
        return {}
    others = bare or node.attributes
    if notes is not None:
        others = {name: value for name, value in others.items() if name not in NOTES} | dict(notes)
    return {"attributes": orjson.dumps(others).decode()}


def _attributes(row: Mapping[str, Any]) -> dict[str, object]:
    found = orjson.loads(row["attributes"] or "{}")
    return found if isinstance(found, dict) else {}
