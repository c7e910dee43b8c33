"""Functions that build predicates; they never raise: a value or field that has no neutral form makes an opaque part."""

from collections.abc import Iterable
from datetime import UTC, date, datetime
from decimal import Decimal
from math import isfinite
from typing import TypeGuard

from ragvigil.predicates.ast import And, Leaf, Not, Op, Opaque, Or, Predicate, Scalar, is_text, plain_text, type_name
from ragvigil.predicates.roles import RECORDS

NEUTRAL = "neutral"


def eq(field: str, value: object) -> Predicate:
    """Some element of `field` equals `value` (str, bool, number or datetime)."""
    return _one("eq", field, value)


def lt(field: str, value: object) -> Predicate:
    """Some element of `field` is less than `value`."""
    return _one("lt", field, value)


def lte(field: str, value: object) -> Predicate:
    """Some element of `field` is `value` or less."""
    return _one("lte", field, value)


def gt(field: str, value: object) -> Predicate:
    """Some element of `field` is greater than `value`."""
    return _one("gt", field, value)


def gte(field: str, value: object) -> Predicate:
    """Some element of `field` is `value` or greater."""
    return _one("gte", field, value)


def in_(field: str, values: Iterable[object]) -> Predicate:
    """Some element of `field` is one of `values`; false for no values."""
    return _many("in", field, values)


def nin(field: str, values: Iterable[object]) -> Predicate:
    """Some element of `field` is none of `values`; false where the field is missing."""
    return _many("nin", field, values)


def all_(field: str, values: Iterable[object]) -> Predicate:
    """`field` is not empty and holds each of `values`."""
    return _many("all", field, values)


def prefix(field: str, value: object) -> Predicate:
    """Some element of `field` is text that starts with `value`."""
    if is_text(value) and is_text(field):
        return Leaf("prefix", plain_text(field), plain_text(value))
    return _opaque("prefix", field, value)


def exists(field: str) -> Predicate:
    """`field` has at least one element."""
    return _without_value("exists", field)


def is_null(field: str) -> Predicate:
    """`field` is there and is null."""
    return _without_value("is_null", field)


def and_(*args: Predicate) -> Predicate:
    """All of `args`."""
    return And(args)


def or_(*args: Predicate) -> Predicate:
    """At least one of `args`."""
    return Or(args)


def not_(arg: Predicate) -> Predicate:
    """The complement of `arg`."""
    return Not(arg)


def opaque(dialect: str, raw: str) -> Predicate:
    """A part that cannot be expressed; `raw` is exported, so it must hold no protected value."""
    return Opaque(_shown(dialect), _shown(raw))


def _without_value(op: Op, field: str) -> Predicate:
    if type(field) is str:
        return _new(Leaf, (op, field, None, False))
    return Leaf(op, plain_text(field)) if is_text(field) else _opaque(op, field, None)


def _one(op: Op, field: str, value: object) -> Predicate:
    try:
        kind = type(value)
        if type(field) is str and (kind in _ALWAYS_SAYABLE or (kind in _NUMBERS and _is_sayable_number(value))):
            return _new(Leaf, (op, field, value, False))
        return Leaf(op, plain_text(field), _scalar(value), isinstance(value, date))
    except Exception:  # noqa: BLE001 - a value of any type may fail in any way
        return _opaque(op, field, value)


def _many(op: Op, field: str, values: Iterable[object]) -> Predicate:
    try:
        return _of_list(op, field if type(field) is str else plain_text(field), values)
    except Exception:  # noqa: BLE001 - as above
        return _opaque(op, field, values)


def _of_list(op: Op, field: str, values: Iterable[object]) -> Predicate:
    if type(values) is not list and isinstance(values, RECORDS):
        return _opaque(op, field, values)
    listed = (values,) if isinstance(values, str) else tuple(values)
    if _ALWAYS_SAYABLE.issuperset(map(type, listed)) or _are_sayable(listed):
        return _new(Leaf, (op, field, listed, False))
    moments = [isinstance(value, date) for value in listed]
    if any(moments) and not all(moments):
        return _opaque(op, field, values)
    return Leaf(op, field, tuple([_scalar(value) for value in listed]), any(moments))


def _are_sayable(values: tuple[object, ...]) -> bool:
    """Whether values are all of neutral types, and their numbers can be written."""
    if not _OWN.issuperset(map(type, values)):
        return False
    return all(map(_is_sayable_number, [value for value in values if type(value) in _NUMBERS]))


def _is_sayable_number(value: object) -> bool:
    """Whether it is a number that JSON can say: not infinite, not NaN, not of more digits than Python writes."""
    if type(value) is int:
        return -_TOO_LARGE < value < _TOO_LARGE
    return type(value) is float and isfinite(value)


def _is_own(value: object) -> TypeGuard[Scalar]:
    """Whether a value is exactly of a neutral type, which nearly all are."""
    return type(value) in _OWN


def _scalar(value: object) -> Scalar:
    """The neutral value; a number from another library (numpy, Decimal) becomes Python's own.

    Raises TypeError for another type and ValueError for infinity, NaN and more digits than Python writes.
    """
    own = _own(value)
    if isinstance(own, float) and not isfinite(own):
        raise ValueError("not finite")
    if isinstance(own, int) and not -_TOO_LARGE < own < _TOO_LARGE:
        raise ValueError("too many digits")
    return own


def _own(value: object) -> Scalar:
    if _is_own(value):
        return value
    if isinstance(value, date):
        return _rfc3339(value)
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, str):
        return plain_text(value)
    return _plain(value.item() if hasattr(value, "item") else value)


def _plain(value: object) -> Scalar:
    """A text or number as Python's own, past what a subclass makes of it (see `plain_text`)."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int.__int__(value)
    return float.__float__(value) if isinstance(value, float) else plain_text(value)


def _rfc3339(moment: date) -> str:
    if not isinstance(moment, datetime):
        return f"{moment.isoformat()}T00:00:00+00:00"
    return plain_text((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).isoformat())


def _opaque(op: Op, field: object, value: object) -> Predicate:
    return Opaque(NEUTRAL, f"{op} {_shown(field)} {type_name(value)}")


def _shown(text: object) -> str:
    return plain_text(text) if is_text(text) else type_name(text)


_new = tuple.__new__
"""Makes named tuples in half the time that calling their class takes; filters are built for every request."""
_TOO_LARGE = 10**4300
"""Python writes and reads integers of so many digits and no more, unless it is told otherwise."""
_ALWAYS_SAYABLE = frozenset({str, bool, type(None)})
_NUMBERS = frozenset({int, float})
_OWN = _ALWAYS_SAYABLE | _NUMBERS
