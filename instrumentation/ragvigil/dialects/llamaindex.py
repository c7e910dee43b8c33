"""LlamaIndex's `MetadataFilters`, read by the names of its types, so that LlamaIndex is never imported.

Its stores differ in details; what is read here is what `SimpleVectorStore` does: a missing value passes only `!=` and
`nin`, and NOT means that none of its filters matches. Unlike there, text is never compared as if it were an array, and
true is not 1.
"""

from collections.abc import Callable, Collection, Mapping
from copy import deepcopy
from typing import Any, Final

from ragvigil.dialects.unreadable import Unreadable
from ragvigil.predicates import (
    And,
    Filter,
    Not,
    Or,
    Predicate,
    all_,
    eq,
    exists,
    gt,
    gte,
    in_,
    lt,
    lte,
    not_,
    opaque,
    or_,
)

_DIALECT: Final = "llamaindex"


def read(native: object) -> Filter:
    """A filter from `MetadataFilters`, as an `and`; raises Unreadable for anything else."""
    parts = [_predicate(part) for part in _filters(native)]
    return Filter(And(tuple(parts)) if _is_and(native) else And((_joined(native, parts),)), dialect=_DIALECT)


def without(native: Any, conjuncts: Collection[str]) -> object:
    """A copy without the filters that the pointers name; raises Unreadable for anything but `MetadataFilters`."""
    filters = _filters(native)
    if not _is_and(native):
        return None if "/args/0" in conjuncts else native.model_copy(deep=True)
    kept = [part for index, part in enumerate(filters) if f"/args/{index}" not in conjuncts]
    return native.model_copy(update={"filters": deepcopy(kept)})


def _filters(native: Any) -> list[Any]:
    if type(native).__name__ != "MetadataFilters":
        raise Unreadable(type(native).__name__)
    return list(native.filters)


def _is_and(native: Any) -> bool:
    """Whether all must match; no filters at all restrict nothing, whatever the condition."""
    return not native.filters or _word(native.condition) in {None, "and"}


def _joined(native: Any, parts: list[Predicate]) -> Predicate:
    match _word(native.condition):
        case "or":
            return Or(tuple(parts))
        case "not":
            return Not(Or(tuple(parts)))
        case other:
            raise Unreadable(str(other))


def _predicate(native: Any) -> Predicate:
    if type(native).__name__ == "MetadataFilters":
        parts = [_predicate(part) for part in native.filters]
        return And(tuple(parts)) if _is_and(native) else _joined(native, parts)
    operator, value = _word(native.operator), native.value
    if isinstance(value, list) is not (operator in _OF_LISTS) and operator not in _OF_NOTHING:
        return opaque(_DIALECT, f"{operator} {native.key} {type(value).__name__}")
    make = _OPERATORS.get(str(operator))
    return opaque(_DIALECT, f"{operator} {native.key}") if make is None else make(native.key, value)


def _word(member: Any) -> str | None:
    """The text of an enumeration's member, or the text itself."""
    word: str | None = getattr(member, "value", member)
    return word


def _is_empty(field: str, _: object) -> Predicate:
    return or_(not_(exists(field)), eq(field, ""))


_OF_LISTS: Final = frozenset({"in", "nin", "any", "all"})
_OF_NOTHING: Final = frozenset({"is_empty"})
_OPERATORS: Final[Mapping[str, Callable[[str, Any], Predicate]]] = {
    "==": eq,
    "!=": lambda field, value: not_(eq(field, value)),
    ">": gt,
    ">=": gte,
    "<": lt,
    "<=": lte,
    "in": in_,
    "nin": lambda field, values: not_(in_(field, values)),
    "any": in_,
    "all": all_,
    "contains": eq,
    "is_empty": _is_empty,
}
