"""One call of a model that two instrumentations tell of without knowing of each other.

LangChain's callbacks and the client's wrapper, for example: neither span is below the other, often not in its trace.
Both are of one process, the second begins before the first has ended, and both say the same.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from itertools import pairwise

from ragvigil_monitor.conventions.all import answer_of, question_of
from ragvigil_monitor.foreign.tree import Node, Trace

_LONGEST_MS = 3_600_000.0
"""What claims to have taken longer before its first token is not believed."""


def echoes(traces: Iterable[Trace]) -> set[Node]:
    """Calls that another span tells of too, and which therefore do not count."""
    alike: defaultdict[tuple[object, ...], list[Node]] = defaultdict(list)
    for trace in traces:
        for node in trace.all():
            if node.row["stage"] == "generate" and node.is_foreign:
                alike[_said(node)].append(node)
    return {echo for said, nodes in alike.items() if said[-1] is not None for echo in _among(nodes)}


def _said(node: Node) -> tuple[object, ...]:
    return (node.row["service"], node.row["instance_id"], question_of(node.attributes), answer_of(node.attributes))


def _among(nodes: list[Node]) -> Iterator[Node]:
    for outer, inner in pairwise(sorted(nodes, key=lambda node: node.started_at)):
        if inner.started_at <= _end(outer) and outer not in inner.above():
            yield _echo(outer, inner)


def _end(node: Node) -> datetime:
    """When the call ended; a span may end when streaming begins, and tell of the first token later."""
    streamed_ms = min(node.row["time_to_first_token_ms"] or 0.0, _LONGEST_MS)
    return max(node.ended_at, node.started_at + timedelta(milliseconds=streamed_ms))


def _echo(outer: Node, inner: Node) -> Node:
    """The one in a trace of its own; of two in one trace the outer, unless only that one knows the tokens."""
    if outer.row["trace_id"] != inner.row["trace_id"]:
        return outer if outer.parent is None and inner.parent is not None else inner
    return inner if inner.row["input_tokens"] is None and outer.row["input_tokens"] is not None else outer
