"""Filters in the languages that databases speak, read into the neutral form.

A dialect is one file with a function from a native filter to a `Filter`, and one line in `DIALECTS`. The function
raises `Unreadable` for what it does not understand.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from ragvigil.dialects import mapping, neutral
from ragvigil.dialects.unreadable import Unreadable, shape_of
from ragvigil.predicates import Filter, Label, Leaf
from ragvigil.predicates.ast import walk
from ragvigil.predicates.clauses import where

__all__ = ["DIALECTS", "Unreadable", "read_filter"]

DIALECTS: Final[Mapping[str, Callable[[object], Filter]]] = {
    "mapping": mapping.read,
    "neutral": neutral.read,
}


def read_filter(native: object, dialect: str | None = None, relevance: Iterable[str] = ()) -> Filter:
    """What a native filter says; never raises.

    None restricts nothing. Without `dialect` it is told from the type. A leaf on a field of `relevance` gets that
    role, unless the filter itself says otherwise. What cannot be read is a filter in state `unknown` whose `raw`
    shows its shape and none of its values.
    """
    if native is None:
        return where()
    name = dialect or _dialect_of(native)
    try:
        return _labelled(DIALECTS[name](native), frozenset(relevance))
    except Exception:  # noqa: BLE001 - a filter of any type may fail in any way, and all of them mean unknown
        return Filter(None, dialect=name, raw=shape_of(native))


def _dialect_of(native: object) -> str:
    return "mapping" if isinstance(native, Mapping) else "neutral"


def _labelled(said: Filter, relevance: frozenset[str]) -> Filter:
    if said.predicate is None or not relevance:
        return said
    declared = [
        Label(path, "relevance", kind=node.op)
        for path, node in walk(said.predicate)
        if isinstance(node, Leaf) and node.field in relevance
    ]
    return Filter(said.predicate, (*said.labels, *declared), said.dialect, said.raw)
