"""Native filters, read or described; a filter of any kind never hurts and never tells protected values."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragvigil import entitlement, relevance, where
from ragvigil.dialects import DIALECTS, read_filter
from ragvigil.dialects.unreadable import MAX_RAW, shape_of
from ragvigil.predicates import And, Filter, Label, Leaf, eq, in_, or_, to_json


class Hostile:
    """Fails whatever is done to it."""

    def __getattribute__(self, name: str) -> Any:
        if name in {"__class__", "__dict__"}:
            return object.__getattribute__(self, name)
        raise RuntimeError(name)


def test_a_mapping_is_the_and_of_its_fields() -> None:
    said = read_filter({"tenant": "acme", "kind": ["function", "class"]})
    assert said.predicate == And((eq("tenant", "acme"), in_("kind", ["function", "class"])))
    assert (said.dialect, said.state) == ("mapping", "known")
    assert said.matches({"tenant": "acme", "kind": "class"}) is True


def test_fields_of_relevance_are_labelled_and_others_are_not() -> None:
    said = read_filter({"tenant": "acme", "kind": "function"}, relevance=("kind", "absent"))
    assert said.labels == (Label("/args/1", "relevance", "caller", "eq"),)
    assert said.role_at("/args/0") == "entitlement"
    assert said.relaxed().predicate == And((eq("tenant", "acme"),))


def test_the_filter_itself_wins_over_the_list_of_relevance() -> None:
    said = read_filter(where(entitlement(eq("kind", "a"))), relevance=("kind",))
    assert said.role_at("/args/0") == "entitlement"
    assert said.relaxed().predicate == said.predicate


def test_the_list_of_relevance_labels_bare_predicates() -> None:
    said = read_filter(or_(eq("kind", "a"), eq("tenant", "b")), relevance=("kind",))
    assert (said.role_at("/args/0"), said.role_at("/args/1")) == ("relevance", "entitlement")
    assert said.relaxed().predicate == said.predicate


@pytest.mark.parametrize(
    "native",
    [
        where(relevance(eq("kind", "a"))),
        relevance(eq("kind", "a")),
        where(relevance(eq("kind", "a"))).predicate,
    ],
    ids=["filter", "clause", "predicate"],
)
def test_the_librarys_own_objects_are_neutral(native: object) -> None:
    said = read_filter(native)
    assert said.dialect == "neutral"
    assert said.predicate == And((eq("kind", "a"),))


def test_the_json_form_is_read_when_it_is_named() -> None:
    ast = to_json(eq("kind", "a"))
    assert read_filter(ast, "neutral").predicate == eq("kind", "a")
    assert read_filter(ast).state == "known"
    assert read_filter(ast).predicate == And((eq("op", "eq"), eq("field", "kind"), eq("value", "a")))


def test_none_restricts_nothing() -> None:
    assert read_filter(None) == where()
    assert read_filter(None, "anything") == where()


@pytest.mark.parametrize(
    ("native", "raw"),
    [
        ({"kind": {"$eq": "secret"}}, "{kind: {$eq: <str>}}"),
        ({"$and": [{"kind": "secret"}, {"n": 5}]}, "{$and: [{kind: <str>}, {n: <int>}]}"),
        ({"kind": None}, "{kind: <NoneType>}"),
        ({5: "secret"}, "{<int>: <str>}"),
        ({"kind": ["a", ["secret"]]}, "{kind: [<str>, [<str>]]}"),
        ("tenant == 'secret'", "<str>"),
        (object(), "<object>"),
        (Hostile(), "<Hostile>"),
        (shape_of, "<function>"),
    ],
    ids=["operator", "connective", "null", "key", "nested", "expression", "object", "hostile", "callable"],
)
def test_what_cannot_be_read_is_unknown_and_described_without_values(native: object, raw: str) -> None:
    said = read_filter(native)
    assert (said.state, said.predicate, said.raw) == ("unknown", None, raw)


TENANT_IS = eq("tenant", "acme")
OWN = [TENANT_IS, entitlement(TENANT_IS), Label("/args/0", "relevance", "caller", "eq"), where(TENANT_IS)]


@pytest.mark.parametrize("own", OWN, ids=lambda own: type(own).__name__)
@pytest.mark.parametrize(
    "make",
    [lambda own: {"a": own}, lambda own: {"a": {"$in": own}}, lambda own: {"$and": own}],
    ids=["value", "listed", "conjuncts"],
)
@pytest.mark.parametrize("dialect", ["mapping", "chroma"])
def test_an_object_of_the_library_is_no_list_of_values(own: object, make: Callable[[Any], Any], dialect: str) -> None:
    said = read_filter(make(own), dialect)
    assert said.state == "unknown"
    assert f"<{type(own).__name__}>" in (said.raw or "")


def test_an_unknown_dialect_is_unknown() -> None:
    said = read_filter({"kind": "secret"}, "klingon")
    assert (said.state, said.dialect, said.raw) == ("unknown", "klingon", "{kind: <str>}")


def test_a_description_is_bounded() -> None:
    endless: dict[str, Any] = {}
    endless["again"] = endless
    assert len(shape_of(endless)) <= MAX_RAW
    assert len(shape_of({f"field {number}" * 100: 1 for number in range(10_000)})) <= MAX_RAW


JUNK: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.binary(max_size=3), st.just("secret")),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.one_of(st.sampled_from("abc"), st.integers()), inner, max_size=3),
    ),
)


@given(JUNK, st.sampled_from([None, *DIALECTS, "klingon"]))
def test_nothing_that_is_given_raises_or_is_told(native: object, dialect: str | None) -> None:
    said = read_filter(native, dialect, ("a",))
    assert isinstance(said, Filter)
    assert "secret" not in (said.raw or "")


def test_a_dictionary_that_changes_later_does_not_change_the_filter() -> None:
    native = {"kind": ["a"]}
    said = read_filter(native)
    native["kind"].append("b")
    assert said.predicate == And((Leaf("in", "kind", ("a",)),))


@pytest.mark.parametrize("number", [math.inf, math.nan, np.float64("-inf")], ids=str)
@pytest.mark.parametrize("listed", [False, True], ids=["value", "list"])
def test_a_number_that_is_not_finite_costs_only_its_own_part(number: float, listed: bool) -> None:
    plain = read_filter({"tenant": "acme", "price": [1.5, number] if listed else number}, relevance=["price"])
    chroma = {"$and": [{"tenant": "acme"}, {"price": {"$nin": [number]} if listed else {"$lte": number}}]}
    for said in (plain, read_filter(chroma, "chroma")):
        assert (said.state, said.opaque_count) == ("partial", 1)
        assert said.protected_fields() == {"tenant"}
        assert said.relevance_conjuncts() == ()
