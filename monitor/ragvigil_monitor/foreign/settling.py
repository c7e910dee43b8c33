"""What has to be written so that the store says what the spans of a trace amount to."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

import orjson

from ragvigil_monitor.foreign.answers import owners
from ragvigil_monitor.foreign.reading import answer_id, answer_row
from ragvigil_monitor.foreign.repeats import USAGE, changes
from ragvigil_monitor.foreign.tree import Node, Trace, grow

QUIET: Final = timedelta(seconds=10)
"""A trace is looked at when nothing in it has ended for so long: exporters send every few seconds."""
PATIENCE: Final = timedelta(minutes=2)
"""After so long without anything new, parents that have not arrived are not waited for."""
REPEATED_USAGE: Final = "otel.repeated_usage"
"""Where the tokens and cost of a span are kept that another span reports too."""
_CHANGED: Final = ("answer_span_id", "stage", *USAGE, "query_text", "attributes")


@dataclass(slots=True)
class Settlement:
    """Rows of answers to add, keys of those that are none after all, and spans with their columns as they should be."""

    answers: list[dict[str, Any]] = field(default_factory=list)
    superseded: list[dict[str, Any]] = field(default_factory=list)
    spans: list[dict[str, Any]] = field(default_factory=list)


def settle(rows: Sequence[Mapping[str, Any]], answers: Sequence[Mapping[str, Any]], now: datetime) -> Settlement:
    """Judge whole traces. rows: all their spans; answers: those that the store has of them (trace, span, answer id)."""
    stored: defaultdict[bytes, dict[bytes, str]] = defaultdict(dict)
    for each in answers:
        stored[each["trace_id"]][each["span_id"]] = each["answer_id"]
    spans: defaultdict[bytes, list[Node]] = defaultdict(list)
    for row in rows:
        spans[row["trace_id"]].append(Node(row, _attributes(row)))
    result = Settlement()
    for trace_id, nodes in spans.items():
        silent = now - max(node.ended_at for node in nodes)
        if silent >= QUIET:
            _settle_trace(grow(nodes), stored[trace_id], silent >= PATIENCE, result)
    return result


def _settle_trace(trace: Trace, stored: Mapping[bytes, str], is_complete: bool, result: Settlement) -> None:
    """Where the application says itself what its answers are, only what repeats is settled."""
    has_own = any(name != answer_id(_trace_id(trace), span_id) for span_id, name in stored.items())
    belongs = {} if has_own else owners(trace, is_complete=is_complete)
    _settle_answers(belongs, stored, result)
    _settle_spans(trace, belongs, result)


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


def _settle_spans(trace: Trace, belongs: Mapping[Node, Node], result: Settlement) -> None:
    changed = changes(trace)
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
