"""Filters in the languages that databases speak, read into the neutral form.

A dialect is one file with a function from a native filter to a `Filter`, and one line in `DIALECTS`. The function
raises `Unreadable` for what it does not understand. One whose filters can be probed has a second function, which
leaves conjuncts out of a native filter, and a line in `WITHOUT`.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Final

from ragvigil.dialects import chroma, llamaindex, mapping, neutral, qdrant
from ragvigil.dialects.unreadable import Unreadable, shape_of
from ragvigil.predicates import Filter, Label, Leaf, where
from ragvigil.predicates.ast import walk

__all__ = ["DIALECTS", "WITHOUT", "Unreadable", "read_filter", "relaxed_native"]

DIALECTS: Final[Mapping[str, Callable[[object], Filter]]] = {
    "chroma": chroma.read,
    "llamaindex": llamaindex.read,
    "mapping": mapping.read,
    "neutral": neutral.read,
    "qdrant": qdrant.read,
}
WITHOUT: Final[Mapping[str, Callable[[object, Collection[str]], object]]] = {
    "chroma": chroma.without,
    "llamaindex": llamaindex.without,
    "mapping": mapping.without,
    "neutral": neutral.without,
    "qdrant": qdrant.without,
}


def read_filter(native: object, dialect: str | None = None, relevance: Iterable[str] = ()) -> Filter:
    """What a native filter says; never raises.

    None restricts nothing. Without `dialect` it is told from the type. A leaf on a field of `relevance` gets that
    role, unless the filter itself says otherwise. What cannot be read is a filter in state `unknown` whose `raw`
    shows its shape and none of its values.
    """
    if native is None:
        return where()
    if type(native) is Filter and dialect is None and not relevance:
        return native
    name = dialect or _dialect_of(native)
    try:
        return _labelled(DIALECTS[name](native), frozenset(relevance))
    except Exception:  # noqa: BLE001 - a filter of any type may fail in any way, and all of them mean unknown
        return Filter(None, dialect=name, raw=shape_of(native))


def relaxed_native(native: object, said: Filter, dialect: str | None = None, relevance: Iterable[str] = ()) -> object:
    """`native` without the relevance conjuncts of `said`, which is what it was read as.

    It is a copy. Raises Unreadable where `native` cannot be written back, where it no longer says what `said` says, or
    where the result would say anything but `said.relaxed()`: never is a clause of entitlement lost on the way.
    Opaque clauses are told apart by their kind only: `native` must be the filter as it was when it was read.
    """
    fields = frozenset(relevance)
    without = WITHOUT.get(dialect or _dialect_of(native))
    if without is None or read_filter(native, dialect, fields) != said:
        raise Unreadable("it is not, or no longer, the filter that was recorded")
    written = without(native, said.relevance_conjuncts())
    if read_filter(written, dialect, fields).predicate != said.relaxed().predicate:
        raise Unreadable("it cannot be written without its relevance clauses")
    return written


def _dialect_of(native: object) -> str:
    """The dialect of a filter by its type; one as a dictionary is not known to be any database's."""
    if isinstance(native, Mapping):
        return "mapping"
    packages = [str(cls.__module__).partition(".")[0] for cls in type(native).__mro__]
    return next((_DIALECTS_BY_PACKAGE[package] for package in packages if package in _DIALECTS_BY_PACKAGE), "neutral")


_DIALECTS_BY_PACKAGE: Final = {"qdrant_client": "qdrant", "llama_index": "llamaindex"}


def _labelled(said: Filter, relevance: frozenset[str]) -> Filter:
    if said.predicate is None or not relevance:
        return said
    declared = [
        Label(path, "relevance", kind=node.op)
        for path, node in walk(said.predicate)
        if isinstance(node, Leaf) and node.field in relevance
    ]
    return Filter(said.predicate, (*said.labels, *declared), said.dialect, said.raw)
