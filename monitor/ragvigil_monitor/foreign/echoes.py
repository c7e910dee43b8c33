"""One call of a model that two instrumentations tell of without knowing of each other.

LangChain's callbacks and the client's wrapper, for example: neither span is below the other, often not in its trace.
Both are of one process, the second begins before the first has ended, and both say the same or name one response.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

from ragvigil.attributes import RESPONSE_ID
from ragvigil_monitor.conventions.all import answer_of, question_of
from ragvigil_monitor.foreign.tree import Node, Trace

_LONGEST_MS = 3_600_000.0
"""What claims to have taken longer before its first token is not believed."""


@dataclass(frozen=True, slots=True)
class Said:
    """A call of a model, what two that tell of it have in common, and until when it lasted.

    across: whether they tell of one call only from different traces; within one, repeats are found otherwise.
    """

    node: Node
    common: tuple[object, ...]
    ended_at: datetime
    across: bool = False


def said_in(trace: Trace) -> Iterator[Said]:
    """The calls that other instrumentations tell of: by what was said in each, and by the id of its response."""
    for node in trace.all():
        if node.row["stage"] == "generate" and node.is_foreign:
            process, ended_at = (node.row["service"], node.row["instance_id"]), _end(node)
            answer, response = answer_of(node.attributes), node.attributes.get(RESPONSE_ID)
            if answer is not None:
                yield Said(node, (*process, question_of(node.attributes), answer), ended_at)
            if isinstance(response, str) and response:
                yield Said(node, (*process, response), ended_at, across=True)


def echoes(said: Iterable[Said]) -> set[Node]:
    """Calls that another span tells of too, and which therefore do not count."""
    alike: defaultdict[tuple[object, ...], list[Said]] = defaultdict(list)
    for each in said:
        alike[each.common].append(each)
    return {echo for some in alike.values() for echo in _among(some)}


def _among(said: list[Said]) -> Iterator[Node]:
    for outer, inner in pairwise(sorted(said, key=lambda each: each.node.started_at)):
        if inner.node.started_at <= outer.ended_at and _may_be_one(outer, inner):
            yield _echo(outer.node, inner.node)


def _may_be_one(outer: Said, inner: Said) -> bool:
    if outer.node.row["trace_id"] != inner.node.row["trace_id"]:
        return True
    return not outer.across and outer.node not in inner.node.above()


def _end(node: Node) -> datetime:
    """When the call ended; a span may end when streaming begins, and tell of the first token later."""
    streamed_ms = min(node.row["time_to_first_token_ms"] or 0.0, _LONGEST_MS)
    return max(node.ended_at, node.started_at + timedelta(milliseconds=streamed_ms))


def _echo(outer: Node, inner: Node) -> Node:
    """The one in a trace of its own; of two in one trace the outer, unless only that one knows the tokens."""
    if outer.row["trace_id"] != inner.row["trace_id"]:
        return outer if outer.parent is None and inner.parent is not None else inner
    return inner if inner.row["input_tokens"] is None and outer.row["input_tokens"] is not None else outer
