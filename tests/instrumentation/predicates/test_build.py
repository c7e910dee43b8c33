"""Builders never raise: a value without a neutral form makes an opaque part that does not tell it."""

import json
import math
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from enum import StrEnum
from typing import Any

import numpy as np
import pytest
from tests.samples.names import stable

from ragvigil.predicates import (
    And,
    Leaf,
    Opaque,
    Or,
    all_,
    and_,
    eq,
    evaluate,
    exists,
    gte,
    in_,
    is_null,
    lt,
    lte,
    nin,
    not_,
    or_,
    prefix,
    to_json,
    where,
)


class Kind(StrEnum):
    FUNCTION = "function"


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("a", "a"),
        (5, 5),
        (2.5, 2.5),
        (True, True),
        (None, None),
        (Kind.FUNCTION, "function"),
        (Decimal("2.5"), 2.5),
        (np.float32(0.5), 0.5),
        (np.int64(7), 7),
        (np.bool_(True), True),
        (np.str_("a"), "a"),
    ],
    ids=stable,
)
def test_scalars_of_any_library_become_pythons_own(given: Any, kept: object) -> None:
    leaf = eq("f", given)
    assert isinstance(leaf, Leaf)
    assert leaf == Leaf("eq", "f", kept)  # type: ignore[arg-type]  # the cases are of many types
    assert type(leaf.value) is type(kept)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), "2026-01-02T03:04:05+00:00"),
        (datetime(2026, 1, 2, 3, 4, 5), "2026-01-02T03:04:05+00:00"),  # noqa: DTZ001 - naive on purpose
        (datetime(2026, 1, 2, tzinfo=timezone(timedelta(hours=2))), "2026-01-02T00:00:00+02:00"),
        (date(2026, 1, 2), "2026-01-02T00:00:00+00:00"),
    ],
    ids=stable,
)
def test_moments_become_rfc_3339(given: date, text: str) -> None:
    assert gte("at", given) == Leaf("gte", "at", text, is_datetime=True)


@pytest.mark.parametrize("value", [object(), {"$eq": "secret"}, ["secret"], b"secret", 3j, np.zeros(3)], ids=stable)
def test_other_values_make_an_opaque_part_that_does_not_tell_them(value: object) -> None:
    part = eq("f", value)
    assert isinstance(part, Opaque)
    assert part.raw == f"eq f <{type(value).__name__}>"
    assert "secret" not in part.raw


@pytest.mark.parametrize(
    "values", [5, None, ["a", object()], eq("a", "b"), ["a", datetime(2026, 1, 1, tzinfo=UTC)]], ids=stable
)
def test_lists_that_cannot_be_read_make_an_opaque_part(values: Any) -> None:
    assert isinstance(in_("f", values), Opaque)


def test_a_text_is_one_value_and_not_its_letters() -> None:
    assert in_("kind", "function") == Leaf("in", "kind", ("function",))


def test_lists_are_copied() -> None:
    values = ["a"]
    leaf = nin("f", values)
    values.append("b")
    assert leaf == Leaf("nin", "f", ("a",))


def test_iterators_and_sets_are_lists_too() -> None:
    assert all_("f", iter("ab")) == Leaf("all", "f", ("a", "b"))
    assert in_("f", {"a"}) == Leaf("in", "f", ("a",))


def test_a_list_of_moments_is_one_of_moments() -> None:
    leaf = in_("at", [date(2026, 1, 1), date(2026, 1, 2)])
    assert isinstance(leaf, Leaf)
    assert leaf.is_datetime
    assert evaluate(leaf, {"at": "2026-01-01T01:00:00+01:00"}) is True


def test_the_rest_builds_what_it_says() -> None:
    assert exists("f") == Leaf("exists", "f")
    assert is_null("f") == Leaf("is_null", "f")
    assert prefix("f", "a") == Leaf("prefix", "f", "a")
    assert isinstance(prefix("f", 5), Opaque)
    assert lt("f", 1) == Leaf("lt", "f", 1)
    assert lte("f", 1) == Leaf("lte", "f", 1)
    assert and_(exists("f")) == And((exists("f"),))
    assert or_() == Or(())
    assert or_() != And(())
    assert not_(exists("f")).arg == exists("f")  # type: ignore[union-attr]  # it is a Not


def test_predicates_cannot_change() -> None:
    leaf = eq("f", "a")
    with pytest.raises(AttributeError):
        leaf.field = "g"  # type: ignore[misc, union-attr]  # that it is refused is the test
    assert hash(leaf) == hash(eq("f", "a"))


INFINITE = [math.inf, -math.inf, math.nan, np.float32("inf"), np.float64("nan"), Decimal("Infinity"), Decimal("1e999")]


@pytest.mark.parametrize("value", INFINITE, ids=stable)
def test_a_limit_that_is_not_finite_costs_only_its_own_part(value: Any) -> None:
    said = where(eq("tenant", "acme"), lte("price", value), in_("size", [1.5, value]), nin("color", ["red"]))
    assert (said.state, said.opaque_count) == ("partial", 2)
    assert said.predicate is not None
    assert json.loads(json.dumps(to_json(said.predicate), allow_nan=False))["args"][3]["value"] == ["red"]


def test_finite_floats_are_values() -> None:
    assert in_("size", [1.5, 2]) == Leaf("in", "size", (1.5, 2))


@pytest.mark.parametrize("field", [["x"], {}, None, 3, b"x", object()], ids=stable)
def test_a_field_that_is_no_text_makes_an_opaque_part(field: Any) -> None:
    made = [eq(field, 1), lt(field, 1.5), in_(field, ["a"]), nin(field, [1]), all_(field, [1]), prefix(field, "a")]
    for part in (*made, exists(field), is_null(field)):
        assert isinstance(part, Opaque)
        assert f"<{type(field).__name__}>" in part.raw
        json.dumps(to_json(part))
    said = where(*made)
    assert (said.state, said.opaque_count) == ("partial", len(made))
    assert said.relevance_conjuncts() == ()


@pytest.mark.parametrize("huge", [10**5000, -(10**5000), 10**4300], ids=["positive", "negative", "just too large"])
def test_an_integer_of_too_many_digits_makes_an_opaque_part(huge: int) -> None:
    for part in (eq("a", huge), lt("a", huge), in_("a", [1, huge]), nin("a", (huge,)), all_("a", [huge, "b"])):
        assert isinstance(part, Opaque)
        assert str(huge % 10**9) not in part.raw
        json.dumps(to_json(part))


@pytest.mark.parametrize("number", [0, -1, 2**63, 10**4300 - 1, True], ids=["0", "-1", "2^63", "4300 digits", "true"])
def test_an_integer_of_fewer_digits_stays_what_it_is(number: int) -> None:
    made = eq("a", number)
    assert made == Leaf("eq", "a", number)
    assert isinstance(made, Leaf)
    assert in_("a", [number, "b"]) == Leaf("in", "a", (number, "b"))
    assert type(made.value) is type(number)


def test_a_field_that_is_more_than_a_text_is_one() -> None:
    assert eq(Kind.FUNCTION, 1) == Leaf("eq", "function", 1)
