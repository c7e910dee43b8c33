"""Chroma's `where`: one field or one connective a dictionary, and operators that begin with a dollar.

Chroma holds scalars and arrays apart (`$contains` asks arrays, all others scalars), and cuts a fraction before it
compares it with whole numbers. The neutral form does neither: such a document may pass here and not there.
"""

from collections.abc import Callable, Collection, Mapping
from copy import deepcopy
from typing import Any, Final

from ragvigil.dialects.unreadable import Unreadable, readable
from ragvigil.predicates import And, Filter, Predicate, eq, gt, gte, in_, lt, lte, not_, opaque, or_

_DIALECT: Final = "chroma"


def read(native: object) -> Filter:
    """A filter from a `where`, as an `and`; raises Unreadable for what Chroma refuses or nobody knows."""
    return Filter(And(tuple([_predicate(part) for part in _conjuncts(native)])), dialect=_DIALECT)


def without(native: object, conjuncts: Collection[str]) -> object:
    """A copy without the parts that the pointers name; None for none, since Chroma refuses an empty `where`."""
    kept = [deepcopy(dict(part)) for index, part in enumerate(_conjuncts(native)) if f"/args/{index}" not in conjuncts]
    if len(kept) < 2:
        return kept[0] if kept else None
    return {"$and": kept}


def _conjuncts(native: object) -> list[Mapping[str, Any]]:
    key, value = _only_item(native)
    parts = value if key == "$and" else [native]
    if not isinstance(parts, list | tuple):
        raise Unreadable(f"$and: {type(parts).__name__}")
    return list(parts)


def _predicate(native: object) -> Predicate:
    key, value = _only_item(native)
    if key in {"$and", "$or"}:
        return _CONNECTIVES[key](tuple([_predicate(part) for part in value]))
    if key.startswith("$"):
        raise Unreadable(key)
    operator, operand = _only_item(value) if isinstance(value, Mapping) else ("$eq", value)
    if operand is None:
        raise Unreadable(f"{key}: null")
    if key.startswith("#"):
        return opaque(_DIALECT, f"{operator} {key}")
    return readable(_OPERATORS[operator](key, operand), operand)


def _only_item(native: object) -> tuple[str, Any]:
    if not isinstance(native, Mapping) or len(native) != 1:
        raise Unreadable(type(native).__name__)
    ((key, value),) = native.items()
    if not isinstance(key, str):
        raise Unreadable(type(key).__name__)
    return key, value


def _negated(make: Callable[[str, Any], Predicate]) -> Callable[[str, Any], Predicate]:
    return lambda field, value: not_(readable(make(field, value), value))


_CONNECTIVES: Final[Mapping[str, Callable[[tuple[Predicate, ...]], Predicate]]] = {
    "$and": And,
    "$or": lambda args: or_(*args),
}
_OPERATORS: Final[Mapping[str, Callable[[str, Any], Predicate]]] = {
    "$eq": eq,
    "$ne": _negated(eq),
    "$gt": gt,
    "$gte": gte,
    "$lt": lt,
    "$lte": lte,
    "$in": in_,
    "$nin": _negated(in_),
    "$contains": eq,
    "$not_contains": _negated(eq),
}
