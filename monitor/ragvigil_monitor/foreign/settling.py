"""What has to be written so that the store says what the spans of a trace amount to."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

import orjson

from ragvigil_monitor.conventions.genai import messages_of
from ragvigil_monitor.foreign.answers import owners
from ragvigil_monitor.foreign.echoes import echoes
from ragvigil_monitor.foreign.reading import answer_id, answer_row
from ragvigil_monitor.foreign.repeats import USAGE, changes
from ragvigil_monitor.foreign.tree import Node, Trace, grow

QUIET: Final = timedelta(seconds=10)
"""A trace is looked at when nothing in it has ended for so long: exporters send every few seconds."""
PATIENCE: Final = timedelta(minutes=2)
"""After so long without anything new, parents that have not arrived are not waited for."""
REPEATED_USAGE: Final = "otel.repeated_usage"
"""Where the tokens and cost of a span are kept that another span reports too."""
Row = Mapping[str, Any]
_CHANGED: Final = ("answer_span_id", "stage", *USAGE, "query_text", "attributes")


@dataclass(slots=True)
class Settlement:
    """Rows of answers to add, keys of those that are none after all, and spans with their columns as they should be."""

    answers: list[dict[str, Any]] = field(default_factory=list)
    superseded: list[dict[str, Any]] = field(default_factory=list)
    spans: list[dict[str, Any]] = field(default_factory=list)


def settle(rows: Sequence[Row], answers: Sequence[Row], events: Sequence[Row] = (), *, now: datetime) -> Settlement:
    """Judge whole traces.

    rows: all their spans; answers: those that the store has of them (trace, span, answer id); events: log events in
    which models and users spoke.
    """
    stored: defaultdict[bytes, dict[bytes, str]] = defaultdict(dict)
    for each in answers:
        stored[each["trace_id"]][each["span_id"]] = each["answer_id"]
    traces = _traces(rows, events)
    repeated = echoes(traces.values())
    result = Settlement()
    for trace_id, trace in traces.items():
        silent = now - max(node.ended_at for node in trace.all())
        if silent >= QUIET:
            _settle_trace(trace, stored[trace_id], repeated, silent >= PATIENCE, result)
    return result


def _traces(rows: Sequence[Row], events: Sequence[Row]) -> dict[bytes, Trace]:
    said: defaultdict[tuple[bytes, bytes], dict[str, object]] = defaultdict(dict)
    for event in events:
        said[event["trace_id"], event["span_id"]] |= messages_of(event["event_name"], event["body"], _attributes(event))
    spans: defaultdict[bytes, list[Node]] = defaultdict(list)
    for row in rows:
        told = said.get((row["trace_id"], row["span_id"]), {})
        spans[row["trace_id"]].append(Node(row, {**told, **_attributes(row)}))
    grown = {trace_id: grow(nodes) for trace_id, nodes in spans.items()}
    return {trace_id: trace for trace_id, trace in grown.items() if trace.roots}


def _settle_trace(
    trace: Trace, stored: Mapping[bytes, str], repeated: Collection[Node], is_complete: bool, result: Settlement
) -> None:
    """Where the application says itself what its answers are, only what repeats is settled."""
    has_own = any(name != answer_id(_trace_id(trace), span_id) for span_id, name in stored.items())
    belongs = {} if has_own else owners(trace, repeated, is_complete=is_complete)
    _settle_answers(belongs, stored, result)
    _settle_spans(trace, belongs, repeated, result)


def _trace_id(trace: Trace) -> bytes:
    return next((bytes(node.row["trace_id"]) for node in trace.all()), b"")


def _settle_answers(belongs: Mapping[Node, Node], stored: Collection[bytes], result: Settlement) -> None:
    owned: defaultdict[Node, list[Node]] = defaultdict(list)
    for node, answer in belongs.items():
        owned[answer].append(node)
        if node is not answer and node.span_id in stored:
            result.superseded.append({"trace_id": node.row["trace_id"], "span_id": node.span_id})
    for answer, nodes in owned.items():
        if answer.span_id not in stored:
            result.answers.append(answer_row(answer, nodes))


def _settle_spans(trace: Trace, belongs: Mapping[Node, Node], repeated: Collection[Node], result: Settlement) -> None:
    changed = changes(trace, repeated)
    for node in trace.all():
        row = node.row
        wanted = dict(changed.get(node, {}))
        if node in belongs and belongs[node].span_id != row["answer_span_id"]:
            wanted["answer_span_id"] = belongs[node].span_id
        if wanted:
            key = {name: row[name] for name in ("trace_id", "span_id", "started_at")}
            given = {name: row[name] for name in _CHANGED}
            result.spans.append({**key, **given, **_kept_usage(node, wanted), **wanted})


def _kept_usage(node: Node, wanted: Mapping[str, Any]) -> dict[str, Any]:
    usage = {name: node.row[name] for name in USAGE if name in wanted and node.row[name] is not None}
    return {"attributes": orjson.dumps({**node.attributes, REPEATED_USAGE: usage}).decode()} if usage else {}


def _attributes(row: Mapping[str, Any]) -> dict[str, object]:
    found = orjson.loads(row["attributes"] or "{}")
    return found if isinstance(found, dict) else {}
