"""Values that tell who may see what leave as HMAC, or not at all."""

import hashlib
import hmac
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragvigil import entitlement, relevance, where
from ragvigil.predicates import (
    Filter,
    Leaf,
    Opaque,
    Predicate,
    ProtectedLeaf,
    all_,
    eq,
    exists,
    gt,
    in_,
    is_null,
    nin,
    not_,
    or_,
    prefix,
    to_json,
)
from ragvigil.predicates.protect import protected, value_hmac

KEY = b"0123456789abcdef"
SECRET = "acme-secret"


def sent(said: Filter) -> Predicate:
    predicate = protected(said, KEY).predicate
    assert predicate is not None
    return predicate


@pytest.mark.parametrize(
    "leaf",
    [
        eq("tenant", SECRET),
        in_("tenant", [SECRET, "b"]),
        nin("tenant", [SECRET]),
        all_("tenant", [SECRET]),
        prefix("tenant", SECRET),
        gt("tenant", SECRET),
        Leaf("lt", "tenant", SECRET),
        Leaf("eq", "tenant", SECRET, is_datetime=True),
        Leaf("in", "tenant", (SECRET,), is_datetime=True),
    ],
    ids=str,
)
@pytest.mark.parametrize("declared", [True, False], ids=["entitlement", "no role"])
def test_no_protected_value_leaves(leaf: Predicate, declared: bool) -> None:
    said = where(entitlement(leaf) if declared else leaf, relevance(or_(not_(leaf), eq("kind", "x"))))
    assert SECRET not in json.dumps(to_json(sent(said)))
    assert "x" in json.dumps(to_json(sent(said)))


def test_the_hmac_is_sha256_over_kind_and_value() -> None:
    expected = hmac.new(KEY, b"text:acme", hashlib.sha256).hexdigest()
    assert sent(Filter(eq("tenant", "acme"))) == ProtectedLeaf("eq", "tenant", expected)


def test_lists_keep_their_order() -> None:
    assert sent(Filter(in_("tenant", ["b", "a"]))) == ProtectedLeaf(
        "in", "tenant", (value_hmac("b", KEY), value_hmac("a", KEY))
    )


def test_ranges_prefixes_and_moments_become_opaque_without_their_value() -> None:
    assert sent(Filter(gt("level", 7))) == Opaque("neutral", "gt level <protected>")


@pytest.mark.parametrize("leaf", [exists("tenant"), is_null("tenant")], ids=str)
def test_leaves_without_a_value_stay(leaf: Predicate) -> None:
    assert sent(Filter(leaf)) == leaf


def test_relevance_stays_readable() -> None:
    said = where(entitlement(eq("tenant", "a")), relevance(gt("year", 2020)))
    assert to_json(sent(said))["args"][1] == {"op": "gt", "field": "year", "value": 2020}  # type: ignore[index]


def test_the_labels_stay_and_the_state_is_that_of_what_is_sent() -> None:
    said = where(entitlement(gt("level", 7)), relevance(eq("kind", "x")))
    assert protected(said, KEY).labels == said.labels
    assert (said.state, protected(said, KEY).state) == ("known", "partial")


def test_an_unreadable_filter_stays_what_it_is() -> None:
    assert protected(Filter(None, raw="<Thing>"), KEY) == Filter(None, raw="<Thing>")


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    [
        (5, 5.0, True),
        (5, "5", False),
        (1, True, False),
        (0.0, -0.0, True),
        ("a", "A", False),
        ("None", None, False),
        ("True", True, False),
        (2**53, 2**53 + 1, True),
        ("\ud800", "?", False),
    ],
    ids=repr,
)
def test_hmacs_are_equal_exactly_when_the_values_are(left: str | float, right: str | float, equal: bool) -> None:
    assert (value_hmac(left, KEY) == value_hmac(right, KEY)) is equal


def test_another_key_gives_another_hmac() -> None:
    assert value_hmac("a", KEY) != value_hmac("a", b"another key here")


@given(st.text(), st.text())
def test_texts_collide_only_with_themselves(left: str, right: str) -> None:
    assert (value_hmac(left, KEY) == value_hmac(right, KEY)) is (left == right)
