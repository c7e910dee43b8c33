"""What is said of a filter that cannot be read: its shape, never its values."""

from collections.abc import Iterable, Mapping
from itertools import islice
from math import isfinite
from typing import Final, TypeVar

from ragvigil.predicates.ast import Opaque, Predicate
from ragvigil.predicates.roles import RECORDS

T = TypeVar("T")

MAX_RAW: Final = 500
_MAX_DEPTH: Final = 6
_MAX_ITEMS: Final = 20


class Unreadable(ValueError):  # noqa: N818 - says what the filter is
    """A filter is not in the dialect that it was said to be in; the text tells types and names, never a value."""


def shape_of(native: object) -> str:
    """Keys and types of a filter, in at most 500 characters.

    Of an expression in text only the type is told, since nobody knows which of its words is a value.
    """
    return _shape(native, _MAX_DEPTH)[:MAX_RAW]


def readable(said: Predicate, wanted: object) -> Predicate:
    """What was made of a value, or of a list of some; raises Unreadable where that is opaque.

    But for infinity and NaN: databases take them, and only the part that asks for them is not known.
    """
    if isinstance(said, Opaque) and not _has_infinite(wanted):
        raise Unreadable(said.raw)
    return said


def _has_infinite(wanted: object) -> bool:
    is_list = isinstance(wanted, list | tuple | set | frozenset) and not isinstance(wanted, RECORDS)
    values: Iterable[object] = wanted if is_list else (wanted,)  # type: ignore[assignment]  # it is one of the four
    return any(isinstance(value, float) and not isfinite(value) for value in values)


def _shape(value: object, depth: int) -> str:
    if isinstance(value, Mapping) and depth > 0:
        inner = [f"{_name(key)}: {_shape(item, depth - 1)}" for key, item in _first(value.items())]
        return "{" + ", ".join(inner) + "}"
    if isinstance(value, list | tuple) and not isinstance(value, RECORDS) and depth > 0:
        return "[" + ", ".join(_shape(item, depth - 1) for item in _first(value)) + "]"
    return f"<{type(value).__name__}>"


def _first(items: Iterable[T]) -> Iterable[T]:
    return islice(items, _MAX_ITEMS)


def _name(key: object) -> str:
    return key[:64] if isinstance(key, str) else f"<{type(key).__name__}>"
