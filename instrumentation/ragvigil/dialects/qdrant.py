"""Qdrant's `Filter`, read by the names of its types, so that the client is never imported.

Integers match by type in Qdrant (a float of the same value does not match), and both bounds of one range hold for one
element of an array; the neutral form says neither, so a document with such a value may pass here and not there.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from copy import deepcopy
from datetime import date
from typing import Any, Final

from ragvigil.dialects.unreadable import Unreadable
from ragvigil.predicates import (
    And,
    Filter,
    Not,
    Or,
    Predicate,
    eq,
    exists,
    gt,
    gte,
    in_,
    is_null,
    lt,
    lte,
    nin,
    not_,
    opaque,
    prefix,
)

_DIALECT: Final = "qdrant"
_BOUNDS: Final = (("gt", gt), ("gte", gte), ("lt", lt), ("lte", lte))
_TESTS: Final = (
    "match",
    "range",
    "geo_bounding_box",
    "geo_radius",
    "geo_polygon",
    "values_count",
    "is_empty",
    "is_null",
)


def read(native: object) -> Filter:
    """A filter from a `Filter` of the client, as an `and` of its conditions; raises Unreadable for anything else."""
    _check(native)
    return Filter(_filter(native), dialect=_DIALECT)


def without(native: Any, conjuncts: Collection[str]) -> object:
    """A copy without the conditions that the pointers name; raises Unreadable for anything but a `Filter`."""
    _check(native)
    kept: dict[str, Any] = dict.fromkeys(("must", "should", "min_should", "must_not"))
    for index, (clause, condition) in enumerate(_clauses(native)):
        if f"/args/{index}" in conjuncts:
            continue
        if clause in {"must", "must_not"}:
            kept[clause] = [*(kept[clause] or []), condition]
        else:
            kept[clause] = condition
    return native.model_copy(update=deepcopy(kept))


def _check(native: object) -> None:
    """Refuse what is no `Filter`, and the one of the gRPC interface, which is another."""
    if type(native).__name__ != "Filter" or not hasattr(native, "model_copy"):
        raise Unreadable(type(native).__name__)


def _clauses(native: Any) -> Iterator[tuple[str, Any]]:
    """What must all hold, in the order in which it is read: a clause of alternatives is one."""
    yield from (("must", condition) for condition in _listed(native.must))
    if _listed(native.should):
        yield "should", native.should
    if native.min_should is not None:
        yield "min_should", native.min_should
    yield from (("must_not", condition) for condition in _listed(native.must_not))


def _filter(native: Any) -> Predicate:
    return And(tuple([_CLAUSES[clause](condition) for clause, condition in _clauses(native)]))


def _should(conditions: Any) -> Predicate:
    return Or(tuple([_condition(condition) for condition in _listed(conditions)]))


def _min_should(native: Any) -> Predicate:
    conditions = tuple([_condition(condition) for condition in native.conditions])
    if native.min_count == 1:
        return Or(conditions)
    return And(conditions) if native.min_count == len(conditions) else opaque(_DIALECT, "min_should")


def _must_not(condition: Any) -> Predicate:
    return Not(_condition(condition))


def _condition(native: Any) -> Predicate:
    kind = type(native).__name__
    return _CONDITIONS[kind](native) if kind in _CONDITIONS else opaque(_DIALECT, kind)


def _field(native: Any) -> Predicate:
    """A condition on one payload field; one that is addressed by array brackets or by several tests has no form."""
    tests = [name for name in _TESTS if getattr(native, name, None) is not None]
    if len(tests) != 1 or not _is_plain(native.key):
        return opaque(_DIALECT, f"{' '.join(tests) or 'nothing'} {native.key}")
    wanted = getattr(native, tests[0])
    read_test = _FIELD_TESTS.get(tests[0])
    return opaque(_DIALECT, f"{tests[0]} {native.key}") if read_test is None else read_test(native.key, wanted)


def _match(field: str, native: Any) -> Predicate:
    match type(native).__name__:
        case "MatchValue":
            return eq(field, native.value)
        case "MatchAny":
            return in_(field, native.any)
        case "MatchExcept":
            return nin(field, native.except_)
        case "MatchPrefix":
            return prefix(field, native.prefix)
        case kind:
            return opaque(_DIALECT, f"{kind} {field}")


def _range(field: str, native: Any) -> Predicate:
    bounds = [(make, getattr(native, name)) for name, make in _BOUNDS if getattr(native, name) is not None]
    if any(isinstance(limit, date) for _, limit in bounds) != (type(native).__name__ == "DatetimeRange"):
        return opaque(_DIALECT, f"range {field}")
    leaves = tuple([make(field, limit) for make, limit in bounds])
    return leaves[0] if len(leaves) == 1 else And(leaves) if leaves else opaque(_DIALECT, f"range {field}")


def _is_empty(field: str, wanted: bool) -> Predicate:
    return not_(exists(field)) if wanted else exists(field)


def _is_null(field: str, wanted: bool) -> Predicate:
    return is_null(field) if wanted else not_(is_null(field))


def _listed(conditions: Any) -> list[Any]:
    if conditions is None:
        return []
    return conditions if isinstance(conditions, list) else [conditions]


def _is_plain(key: str) -> bool:
    return not any(sign in key for sign in '[]"')


_CLAUSES: Final[Mapping[str, Callable[[Any], Predicate]]] = {
    "must": _condition,
    "should": _should,
    "min_should": _min_should,
    "must_not": _must_not,
}
_CONDITIONS: Final[Mapping[str, Callable[[Any], Predicate]]] = {
    "Filter": _filter,
    "FieldCondition": _field,
    "IsEmptyCondition": lambda native: _is_empty(native.is_empty.key, wanted=True),
    "IsNullCondition": lambda native: _is_null(native.is_null.key, wanted=True),
}
_FIELD_TESTS: Final[Mapping[str, Callable[[str, Any], Predicate]]] = {
    "match": _match,
    "range": _range,
    "is_empty": _is_empty,
    "is_null": _is_null,
}
