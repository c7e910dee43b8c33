"""Whether a document passes a predicate, in plain Python; three-valued because a part may be opaque."""

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias

from ragvigil.predicates.ast import And, Leaf, Not, Opaque, Or, Predicate, ProtectedLeaf, Scalar
from ragvigil.predicates.moments import parse_moment

Key: TypeAlias = tuple[str, Any]


def evaluate(predicate: Predicate, document: Mapping[str, object]) -> bool | None:
    """True, False, or None (Kleene's unknown) where opaque or protected parts decide.

    `document` maps a field to a scalar or an array. Values are not coerced: numbers compare as doubles, a bool is
    no number, text compares byte by byte, and values of different kinds are never equal or ordered.
    """
    match predicate:
        case And(args):
            return _all(evaluate(arg, document) for arg in args)
        case Or(args):
            return _negated(_all(_negated(evaluate(arg, document)) for arg in args))
        case Not(arg):
            return _negated(evaluate(arg, document))
        case Opaque() | ProtectedLeaf():
            return None
        case Leaf():
            return _leaf(predicate, document)


def _all(results: Iterable[bool | None]) -> bool | None:
    unknown = False
    for result in results:
        if result is False:
            return False
        unknown = unknown or result is None
    return None if unknown else True


def _negated(result: bool | None) -> bool | None:
    return None if result is None else not result


def _leaf(leaf: Leaf, document: Mapping[str, object]) -> bool:
    if leaf.op == "is_null":
        return leaf.field in document and document[leaf.field] is None
    elements = _bag(document.get(leaf.field))
    if leaf.op == "exists":
        return bool(elements)
    key = _moment_key if leaf.is_datetime else _key
    return _LEAVES[leaf.op]([k for k in map(key, elements) if k is not None], _wanted(leaf, key))


def _bag(value: object) -> list[object]:
    if isinstance(value, list | tuple | set | frozenset):
        return [element for element in value if element is not None]
    return [] if value is None else [value]


def _wanted(leaf: Leaf, key: Callable[[object], Key | None]) -> list[Key | None]:
    values: tuple[Scalar, ...] = leaf.value if isinstance(leaf.value, tuple) else (leaf.value,)
    return [key(value) for value in values]


def _key(value: object) -> Key | None:
    """The value with its kind, so that equal keys are equal values; another kind of object equals nothing."""
    if isinstance(value, bool):
        return ("bool", value)
    if isinstance(value, int | float):
        return ("number", as_double(value))
    if isinstance(value, str):
        return ("text", value)
    return None if value is None else ("other", object())


def as_double(number: float) -> float:
    """The number as a double; one that is too large becomes infinite."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def _moment_key(value: object) -> Key | None:
    moment = parse_moment(value)
    return None if moment is None else ("moment", moment)


def _ordered(holds: Callable[[Any, Any], bool]) -> Callable[[list[Key], list[Key | None]], bool]:
    def some_element(elements: list[Key], wanted: list[Key | None]) -> bool:
        limit = wanted[0]
        if limit is None or limit[0] not in _ORDERED_KINDS:
            return False
        return any(kind == limit[0] and holds(value, limit[1]) for kind, value in elements)

    return some_element


def _some_listed(elements: list[Key], wanted: list[Key | None]) -> bool:
    return any(_is_listed(element, wanted) for element in elements)


def _some_unlisted(elements: list[Key], wanted: list[Key | None]) -> bool:
    return any(not _is_listed(element, wanted) for element in elements)


def _every_wanted(elements: list[Key], wanted: list[Key | None]) -> bool:
    return bool(elements) and all(value is not None and _is_listed(value, list(elements)) for value in wanted)


def _some_prefixed(elements: list[Key], wanted: list[Key | None]) -> bool:
    start = wanted[0]
    if start is None or start[0] != "text":
        return False
    return any(kind == "text" and value.startswith(start[1]) for kind, value in elements)


def _is_listed(element: Key, wanted: list[Key | None]) -> bool:
    # Compared part by part: a tuple comparison would take a NaN for equal to itself.
    return any(other is not None and element[0] == other[0] and element[1] == other[1] for other in wanted)


_ORDERED_KINDS: Final = frozenset({"number", "text", "moment"})
_LEAVES: Final[Mapping[str, Callable[[list[Key], list[Key | None]], bool]]] = {
    "eq": _some_listed,
    "in": _some_listed,
    "nin": _some_unlisted,
    "all": _every_wanted,
    "prefix": _some_prefixed,
    "lt": _ordered(lambda value, limit: bool(value < limit)),
    "lte": _ordered(lambda value, limit: bool(value <= limit)),
    "gt": _ordered(lambda value, limit: bool(value > limit)),
    "gte": _ordered(lambda value, limit: bool(value >= limit)),
}
