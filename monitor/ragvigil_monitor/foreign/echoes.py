"""One call of a model that two instrumentations tell of without knowing of each other.

LangChain's callbacks and the client's wrapper, for example: neither span is below the other, often not in its trace.
Both are of one process, the second begins before the first has ended, and both say the same.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

from ragvigil_monitor.conventions.all import answer_of, question_of
from ragvigil_monitor.foreign.tree import Node, Trace

_LONGEST_MS = 3_600_000.0
"""What claims to have taken longer before its first token is not believed."""


@dataclass(frozen=True, slots=True)
class Said:
    """A call of a model, what was said in it, and until when it lasted."""

    node: Node
    words: tuple[object, ...]
    ended_at: datetime


def said_in(trace: Trace) -> Iterator[Said]:
    """The calls that other instrumentations tell of, with what the model answered."""
    for node in trace.all():
        if node.row["stage"] == "generate" and node.is_foreign:
            answer = answer_of(node.attributes)
            if answer is not None:
                row = node.row
                yield Said(node, (row["service"], row["instance_id"], question_of(node.attributes), answer), _end(node))


def echoes(said: Iterable[Said]) -> set[Node]:
    """Calls that another span tells of too, and which therefore do not count."""
    alike: defaultdict[tuple[object, ...], list[Said]] = defaultdict(list)
    for each in said:
        alike[each.words].append(each)
    return {echo for some in alike.values() for echo in _among(some)}


def _among(said: list[Said]) -> Iterator[Node]:
    for outer, inner in pairwise(sorted(said, key=lambda each: each.node.started_at)):
        if inner.node.started_at <= outer.ended_at and outer.node not in inner.node.above():
            yield _echo(outer.node, inner.node)


def _end(node: Node) -> datetime:
    """When the call ended; a span may end when streaming begins, and tell of the first token later."""
    streamed_ms = min(node.row["time_to_first_token_ms"] or 0.0, _LONGEST_MS)
    return max(node.ended_at, node.started_at + timedelta(milliseconds=streamed_ms))


def _echo(outer: Node, inner: Node) -> Node:
    """The one in a trace of its own; of two in one trace the outer, unless only that one knows the tokens."""
    if outer.row["trace_id"] != inner.row["trace_id"]:
        return outer if outer.parent is None and inner.parent is not None else inner
    return inner if inner.row["input_tokens"] is None and outer.row["input_tokens"] is not None else outer
