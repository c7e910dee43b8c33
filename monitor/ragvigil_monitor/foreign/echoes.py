"""One call of a model that two instrumentations tell of without knowing of each other.

LangChain's callbacks and the client's wrapper, for example: neither span is below the other, often not in its trace.
Both are of one process, the second begins before the first has ended, and both say the same or name one response.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import blake2b
from itertools import pairwise
from typing import Final

from ragvigil.attributes import RESPONSE_ID
from ragvigil_monitor.conventions.all import answer_of, question_of
from ragvigil_monitor.foreign.tree import Key, Node, Trace
from ragvigil_monitor.foreign.usage import Numbers, told

_LONGEST_MS: Final = 3_600_000.0
"""What claims to have taken longer before its first token is not believed."""
_DIGEST_BYTES: Final = 16


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a model, as much of it as is kept while other traces are read. above: ids of calls around it."""

    key: Key
    started_at: datetime
    ended_at: datetime
    has_parent: bool
    above: frozenset[bytes]
    usage: Numbers


@dataclass(frozen=True, slots=True)
class Said:
    """A call, and a digest of what two spans that tell of it have in common.

    across: whether they tell of one call only from different traces; within one, repeats are found otherwise.
    """

    call: Call
    common: bytes
    across: bool = False


@dataclass(frozen=True, slots=True)
class Echoes:
    """Calls that do not count, because another span tells of them; and what they tell, by the call that counts."""

    keys: frozenset[Key] = frozenset()
    usage: dict[Key, Numbers] = field(default_factory=dict)


def said_in(trace: Trace) -> Iterator[Said]:
    """The calls that other instrumentations tell of: by what was said in each, and by the id of its response."""
    for node in trace.all():
        if _is_call(node):
            call, process = _call(node), (node.row["service"], node.row["instance_id"])
            answer, response = answer_of(node.attributes), node.attributes.get(RESPONSE_ID)
            if answer is not None:
                yield Said(call, _digest(*process, question_of(node.attributes), answer))
            if isinstance(response, str) and response:
                yield Said(call, _digest(*process, response), across=True)


def echoes(said: Iterable[Said]) -> Echoes:
    """Which calls do not count."""
    alike: defaultdict[bytes, list[Said]] = defaultdict(list)
    for each in said:
        alike[each.common].append(each)
    pairs = {echo.key: (echo, counted.key) for some in alike.values() for echo, counted in _among(some)}
    usage: dict[Key, Numbers] = {}
    for echo, counted in pairs.values():
        key = _last(counted, pairs)
        usage[key] = {**echo.usage, **usage.get(key, {})}
    return Echoes(frozenset(pairs), usage)


def _last(key: Key, pairs: dict[Key, tuple[Call, Key]]) -> Key:
    """The call that counts, where that of an echo is one itself."""
    seen = set()
    while key in pairs and key not in seen:
        seen.add(key)
        key = pairs[key][1]
    return key


def _is_call(node: Node) -> bool:
    return node.stage == "generate" and node.is_foreign


def _call(node: Node) -> Call:
    above = frozenset(each.span_id for each in node.above() if _is_call(each))
    return Call(node.key, node.started_at, _end(node), node.parent is not None, above, told(node))


def _digest(*said: object) -> bytes:
    return blake2b(repr(said).encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES).digest()


def _among(said: list[Said]) -> Iterator[tuple[Call, Call]]:
    for outer, inner in pairwise(sorted(said, key=lambda each: each.call.started_at)):
        if inner.call.started_at <= outer.call.ended_at and _may_be_one(outer, inner):
            yield _echo_first(outer.call, inner.call)


def _may_be_one(outer: Said, inner: Said) -> bool:
    (outer_trace, outer_id), (inner_trace, _) = outer.call.key, inner.call.key
    return outer_trace != inner_trace or (not outer.across and outer_id not in inner.call.above)


def _end(node: Node) -> datetime:
    """When the call ended; a span may end when streaming begins, and tell of the first token later."""
    streamed_ms = min(node.row["time_to_first_token_ms"] or 0.0, _LONGEST_MS)
    return max(node.ended_at, node.started_at + timedelta(milliseconds=streamed_ms))


def _echo_first(outer: Call, inner: Call) -> tuple[Call, Call]:
    """First the one in a trace of its own; of two in one trace the outer, unless only that knows the tokens."""
    if outer.key[0] != inner.key[0]:
        return (outer, inner) if not outer.has_parent and inner.has_parent else (inner, outer)
    is_known = "input_tokens" in inner.usage or "input_tokens" not in outer.usage
    return (outer, inner) if is_known else (inner, outer)
