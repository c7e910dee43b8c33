"""The JSON form: everything that is written is read back, anything else is refused with its place."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragvigil.predicates import (
    And,
    Label,
    Leaf,
    Not,
    Opaque,
    Or,
    Predicate,
    PredicateError,
    ProtectedLeaf,
    from_json,
    labels_from_json,
    labels_to_json,
    to_json,
)
from ragvigil.predicates.codec import MAX_DEPTH, MAX_TEXT

TEXT = st.text(max_size=5)
SCALARS = st.one_of(TEXT, st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.booleans(), st.none())
LEAVES = st.one_of(
    st.builds(Leaf, st.sampled_from(["eq", "lt", "lte", "gt", "gte", "prefix"]), TEXT, SCALARS, st.booleans()),
    st.builds(
        Leaf, st.sampled_from(["in", "nin", "all"]), TEXT, st.lists(SCALARS, max_size=3).map(tuple), st.booleans()
    ),
    st.builds(Leaf, st.sampled_from(["exists", "is_null"]), TEXT, st.none(), st.just(False)),
    st.builds(ProtectedLeaf, st.just("eq"), TEXT, TEXT),
    st.builds(ProtectedLeaf, st.sampled_from(["in", "nin", "all"]), TEXT, st.lists(TEXT, max_size=3).map(tuple)),
    st.builds(Opaque, TEXT, TEXT),
)
PREDICATES: st.SearchStrategy[Any] = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.builds(And, st.lists(inner, max_size=3).map(tuple)),
        st.builds(Or, st.lists(inner, max_size=3).map(tuple)),
        st.builds(Not, inner),
    ),
    max_leaves=10,
)
JSON: st.SearchStrategy[Any] = st.recursive(
    st.one_of(SCALARS, st.sampled_from(["and", "or", "not", "eq", "in", "opaque"])),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(["op", "args", "arg", "field", "value", "type", "value_hmac", "dialect", "raw", "x"]),
            inner,
            max_size=5,
        ),
    ),
)


@settings(deadline=None)
@given(PREDICATES)
def test_what_is_written_is_read_back(predicate: Predicate) -> None:
    assert from_json(to_json(predicate)) == predicate
    assert from_json(json.dumps(to_json(predicate))) == predicate


@settings(max_examples=500, deadline=None)
@given(JSON)
def test_anything_else_is_read_or_refused(junk: object) -> None:
    with suppress(PredicateError):
        predicate = from_json(junk)
        assert from_json(to_json(predicate)) == predicate


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        (5, "at the root: expected an object, got int"),
        (None, "at the root: expected an object, got nothing"),
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        (" " * (MAX_TEXT + 1), "more than 1048576 characters"),
        ({}, "unknown op None"),
        ({"op": ["and"]}, "unknown op ['and']"),
        ({"op": "regex", "field": "f"}, "unknown op 'regex'; known are and, or, not"),
        ({"op": "and"}, "at /args: expected a list, got nothing"),
        ({"op": "and", "args": {}}, "at /args: expected a list, got dict"),
        ({"op": "and", "args": [], "arg": 1}, "and takes no arg"),
        ({"op": "not"}, "at /arg: expected an object, got nothing"),
        ({"op": "or", "args": [{"op": "not", "arg": 5}]}, "at /args/0/arg: expected an object, got int"),
        ({"op": "eq", "value": 5}, "at /field: expected text, got nothing"),
        ({"op": "eq", "field": "f"}, "at /value: eq needs a value"),
        ({"op": "eq", "field": "f", "value": [1]}, "at /value: expected text, number, true, false or null, got list"),
        ({"op": "eq", "field": "f", "value": 1, "value_hmac": "x"}, "eq takes no value"),
        ({"op": "eq", "field": "f", "value_hmac": ["x"]}, "at /value_hmac: eq needs a text"),
        ({"op": "in", "field": "f", "value_hmac": "x"}, "at /value_hmac: in needs a list of texts"),
        ({"op": "in", "field": "f", "value": "a"}, "at /value: in needs a list, got str"),
        ({"op": "in", "field": "f", "value": ["a", {}]}, "at /value/1: expected text"),
        ({"op": "exists", "field": "f", "value": 1}, "exists takes no value"),
        ({"op": "eq", "field": "f", "value": 1, "type": "date"}, "at /type: expected 'datetime', got 'date'"),
        ({"op": "opaque", "dialect": "x"}, "at /raw: expected text, got nothing"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_refusal_names_the_place_and_the_reason(source: object, complaint: str) -> None:
    with pytest.raises(PredicateError) as refused:
        from_json(source)
    assert complaint in str(refused.value)


def nested(levels: int) -> dict[str, Any]:
    node: dict[str, Any] = {"op": "exists", "field": "f"}
    for _ in range(levels):
        node = {"op": "not", "arg": node}
    return node


def test_depth_is_bounded() -> None:
    assert isinstance(from_json(nested(MAX_DEPTH - 1)), Not)
    with pytest.raises(PredicateError, match="more than 50 levels"):
        from_json(nested(MAX_DEPTH))


def test_the_written_form_is_that_of_the_conventions() -> None:
    predicate = And(
        (
            Leaf("in", "kind", ("a", 1, True)),
            Not(Leaf("exists", "draft")),
            Or(
                (Leaf("gte", "at", "2026-01-01T00:00:00Z", is_datetime=True), ProtectedLeaf("all", "acl", ("00", "ff")))
            ),
            Opaque("es", "geo"),
        )
    )
    assert to_json(predicate) == {
        "op": "and",
        "args": [
            {"op": "in", "field": "kind", "value": ["a", 1, True]},
            {"op": "not", "arg": {"op": "exists", "field": "draft"}},
            {
                "op": "or",
                "args": [
                    {"op": "gte", "field": "at", "value": "2026-01-01T00:00:00Z", "type": "datetime"},
                    {"op": "all", "field": "acl", "value_hmac": ["00", "ff"]},
                ],
            },
            {"op": "opaque", "dialect": "es", "raw": "geo"},
        ],
    }


def test_labels_are_written_and_read() -> None:
    labels = (Label("", "entitlement"), Label("/args/1", "relevance", "llm", "topic"))
    assert labels_to_json(labels) == [
        {"path": "", "role": "entitlement", "origin": "caller", "kind": None},
        {"path": "/args/1", "role": "relevance", "origin": "llm", "kind": "topic"},
    ]
    assert labels_from_json(labels_to_json(labels)) == labels
    assert labels_from_json(json.dumps(labels_to_json(labels))) == labels
    assert labels_from_json([{"path": "", "role": "relevance"}]) == (Label("", "relevance"),)


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ({}, "clauses: expected a list, got dict"),
        (["x"], "clauses/0: expected an object, got str"),
        ([{"role": "relevance"}], "/path: expected text, got nothing"),
        ([{"path": "", "role": "admin"}], "clauses/0/role: expected entitlement or relevance, got 'admin'"),
        ([{"path": "", "role": "relevance", "origin": "god"}], "clauses/0/origin: expected caller, rule or llm"),
        ([{"path": "", "role": "relevance", "kind": 5}], "clauses/0/kind: expected text or null, got int"),
    ],
    ids=str,
)
def test_labels_that_are_not_valid_are_refused(source: object, complaint: str) -> None:
    with pytest.raises(PredicateError) as refused:
        labels_from_json(source)
    assert complaint in str(refused.value)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_numbers_that_json_cannot_say_make_an_opaque_part(number: str) -> None:
    assert from_json(f'{{"op": "lte", "field": "price", "value": {number}}}') == Opaque("neutral", "lte price <float>")
    assert from_json(f'{{"op": "in", "field": "price", "value": [1, {number}]}}') == Opaque(
        "neutral", "in price <float>"
    )
