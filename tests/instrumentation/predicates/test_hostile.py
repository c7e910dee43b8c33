"""Objects that fail wherever they are looked at: no builder raises, and what is built holds plain values only."""

import json
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any, NoReturn
from unittest.mock import Mock

import pytest

from ragvigil.predicates import (
    Leaf,
    Opaque,
    Predicate,
    all_,
    and_,
    entitlement,
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
    or_,
    prefix,
    relevance,
    to_json,
    where,
)


def fail(*_: object) -> NoReturn:
    raise RuntimeError("hostile")


TRAPS = (
    *("__bool__", "__contains__", "__eq__", "__float__", "__format__", "__getitem__", "__ge__", "__gt__", "__hash__"),
    *("__index__", "__int__", "__iter__", "__le__", "__len__", "__lt__", "__ne__", "__repr__", "__str__"),
    *("encode", "isoformat", "item", "replace"),
)
FAILING: dict[str, Any] = dict.fromkeys(TRAPS, fail)
Text, Whole, Real, Amount, Day, Moment, Listed, Anything = (
    type(f"Hostile{base.__name__}", (base,), FAILING)
    for base in (str, int, float, Decimal, date, datetime, list, object)
)
Lying = type("Lying", (), {"__class__": property(fail)})
Nameless = type("Meta", (type,), {"__name__": property(fail), "__hash__": fail, "__eq__": fail})("Nameless", (), {})
Oddly = type(Text("Oddly"), (), {})

FIELDS = [Text("f"), Anything(), Lying(), Nameless(), Oddly(), Mock(spec=str)]
VALUES = [
    *(Text("v"), Whole(7), Real(0.5), Real("nan"), Amount("1.5"), Day(2026, 1, 1), Moment(2026, 1, 1, tzinfo=UTC)),
    *(Listed(["v"]), Anything(), Lying(), Nameless(), Oddly(), Mock(spec=str)),
    Mock(spec=Leaf),
]
OF_ONE: list[Callable[[Any, Any], Predicate]] = [eq, lt, lte, gt, gte, prefix]
OF_MANY: list[Callable[[Any, Any], Predicate]] = [in_, nin, all_]
OF_NONE: list[Callable[[Any], Predicate]] = [exists, is_null]


def check(part: Predicate) -> None:
    """That it is a leaf or opaque, and can be shown, compared, hashed and written."""
    assert type(part) in (Leaf, Opaque)
    assert part == part
    assert repr(part)
    hash(part)
    json.dumps(to_json(part), allow_nan=False)
    said = where(part, and_(part), or_(part), not_(part))
    assert said.state in {"known", "partial"}
    assert said.protected_fields() <= {"f"}
    if isinstance(part, Leaf):
        values = part.value if isinstance(part.value, tuple) else (part.value,)
        assert {type(each) for each in values} <= {str, int, float, bool, type(None)}
        assert type(part.field) is str


@pytest.mark.parametrize("build", [*OF_ONE, *OF_MANY], ids=lambda build: build.__name__)
def test_a_hostile_value_makes_a_plain_leaf_or_an_opaque_part(build: Callable[[Any, Any], Predicate]) -> None:
    for value in VALUES:
        for given in (value, [value], (1, value), iter([value])):
            check(build("f", given))


@pytest.mark.parametrize("build", [*OF_ONE, *OF_MANY], ids=lambda build: build.__name__)
def test_a_hostile_field_makes_one_too(build: Callable[[Any, Any], Predicate]) -> None:
    for field in FIELDS:
        for value in ("v", 1, ["v"], object(), *VALUES):
            check(build(field, value))


@pytest.mark.parametrize("build", OF_NONE, ids=lambda build: build.__name__)
def test_so_it_does_without_a_value(build: Callable[[Any], Predicate]) -> None:
    for field in FIELDS:
        check(build(field))
    assert build(Text("f")) == build("f")


def test_what_a_hostile_text_or_number_holds_is_taken_past_its_own_methods() -> None:
    assert eq(Text("f"), Text("v")) == Leaf("eq", "f", "v")
    assert prefix(Text("f"), Text("v")) == Leaf("prefix", "f", "v")
    assert in_(Text("f"), [Text("v"), 1]) == Leaf("in", "f", ("v", 1))
    plain = type("Plain", (int,), {"__format__": fail, "__repr__": fail, "__hash__": fail, "__eq__": fail})
    assert eq("f", plain(7)) == Leaf("eq", "f", 7)
    assert in_("f", [plain(7)]) == Leaf("in", "f", (7,))


def test_what_cannot_be_named_is_opaque_all_the_same() -> None:
    assert eq("f", Nameless()) == Opaque("neutral", "eq f <unknown>")
    assert eq("f", Oddly()) == Opaque("neutral", "eq f <Oddly>")
    assert eq(Text("f"), object()) == Opaque("neutral", "eq f <object>")


def test_an_opaque_part_shows_texts_only() -> None:
    for given in FIELDS:
        check(opaque(given, given))
    assert opaque(Text("sql"), Text("x > 1")) == Opaque("sql", "x > 1")
    assert opaque("sql", 5) == Opaque("sql", "<int>")  # type: ignore[arg-type]  # that it is no text is the test


def test_what_stands_in_place_of_a_predicate_costs_only_its_own_part() -> None:
    for given in (*FIELDS, *VALUES[:-1]):
        said = where(eq("tenant", "acme"), given, entitlement(given), relevance(given))
        assert said.predicate is not None
        assert (said.state, said.opaque_count) == ("partial", 3)
        assert len(json.dumps(to_json(said.predicate))) < 1000
