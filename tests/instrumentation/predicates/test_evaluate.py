"""What a predicate means: the bag semantics, case by case and against an independent reading of them."""

import math
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragvigil.predicates import (
    And,
    Leaf,
    Not,
    Op,
    Opaque,
    Or,
    Predicate,
    ProtectedLeaf,
    all_,
    and_,
    eq,
    evaluate,
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
)
from ragvigil.predicates.moments import parse_moment

UNKNOWN = opaque("lucene", "title:cat~")
MISSING: dict[str, object] = {}


@pytest.mark.parametrize(
    ("predicate", "document", "expected"),
    [
        # A scalar is a bag of one, an array its elements, null and missing the empty bag.
        pytest.param(eq("f", "a"), {"f": "a"}, True, id="scalar equals"),
        pytest.param(eq("f", "a"), {"f": ["b", "a"]}, True, id="some element equals"),
        pytest.param(eq("f", "a"), {"f": ("b", "c")}, False, id="no element equals"),
        pytest.param(eq("f", "a"), {"f": None}, False, id="null equals nothing"),
        pytest.param(eq("f", None), {"f": None}, False, id="null does not even equal null"),
        pytest.param(eq("f", "a"), MISSING, False, id="missing equals nothing"),
        pytest.param(eq("f", "a"), {"f": []}, False, id="the empty array equals nothing"),
        # No coercion.
        pytest.param(eq("f", 5), {"f": "5"}, False, id="5 is not '5'"),
        pytest.param(eq("f", 5), {"f": 5.0}, True, id="5 is 5.0"),
        pytest.param(eq("f", 1), {"f": True}, False, id="true is no number"),
        pytest.param(eq("f", True), {"f": 1}, False, id="1 is not true"),
        pytest.param(eq("f", True), {"f": [False, True]}, True, id="true among bools"),
        pytest.param(eq("f", "A"), {"f": "a"}, False, id="case counts"),
        pytest.param(eq("f", "é"), {"f": "e\u0301"}, False, id="bytes count, not looks"),
        pytest.param(eq("f", 2**53), {"f": 2**53 + 1}, True, id="numbers are doubles"),
        pytest.param(eq("f", 10**400), {"f": 10**401}, True, id="beyond a double all is infinite"),
        pytest.param(Leaf("eq", "f", math.nan), {"f": math.nan}, False, id="NaN equals nothing"),
        pytest.param(Leaf("nin", "f", (math.nan,)), {"f": math.nan}, True, id="so NaN is not listed"),
        pytest.param(eq("f", "a"), {"f": {"a": 1}}, False, id="an object equals nothing"),
        pytest.param(exists("f"), {"f": {"a": 1}}, True, id="but it exists"),
        # in, nin, all.
        pytest.param(in_("f", []), {"f": "a"}, False, id="in nothing is false"),
        pytest.param(in_("f", ["a", "b"]), {"f": ["c", "b"]}, True, id="in: some element listed"),
        pytest.param(in_("f", [1]), {"f": "1"}, False, id="in does not coerce"),
        pytest.param(nin("f", ["a"]), {"f": ["a", "b"]}, True, id="nin: some element not listed"),
        pytest.param(nin("f", ["a"]), {"f": ["a"]}, False, id="nin: every element listed"),
        pytest.param(nin("f", ["a"]), MISSING, False, id="nin drops documents that lack the field"),
        pytest.param(nin("f", []), {"f": "a"}, True, id="nin nothing is exists"),
        pytest.param(not_(in_("f", ["a"])), MISSING, True, id="not in keeps documents that lack the field"),
        pytest.param(not_(in_("f", ["a"])), {"f": ["a", "b"]}, False, id="not in: no element listed"),
        pytest.param(not_(eq("f", "a")), MISSING, True, id="must_not keeps missing"),
        pytest.param(and_(exists("f"), not_(eq("f", "a"))), MISSING, False, id="SQL <> drops missing"),
        pytest.param(all_("f", ["a", "b"]), {"f": ["b", "a", "c"]}, True, id="all present"),
        pytest.param(all_("f", ["a", "b"]), {"f": ["a"]}, False, id="one absent"),
        pytest.param(all_("f", []), {"f": ["a"]}, True, id="all of nothing, not empty"),
        pytest.param(all_("f", []), MISSING, False, id="all of nothing, empty"),
        # exists, is_null.
        pytest.param(exists("f"), {"f": 0}, True, id="0 exists"),
        pytest.param(exists("f"), {"f": [None]}, False, id="an array of nulls is empty"),
        pytest.param(is_null("f"), {"f": None}, True, id="explicit null"),
        pytest.param(is_null("f"), MISSING, False, id="missing is not null"),
        pytest.param(is_null("f"), {"f": []}, False, id="empty is not null"),
        # Ranges.
        pytest.param(gt("f", 9), {"f": 10}, True, id="10 > 9"),
        pytest.param(gt("f", "9"), {"f": "10"}, False, id="'10' < '9' as text"),
        pytest.param(gt("f", 9), {"f": "10"}, False, id="text is not above a number"),
        pytest.param(lt("f", 1), {"f": False}, False, id="a bool is not ordered"),
        pytest.param(lt("f", True), {"f": False}, False, id="nor is it a limit"),
        pytest.param(lte("f", 5), {"f": 5}, True, id="lte includes"),
        pytest.param(gte("f", 5.5), {"f": [1, 6]}, True, id="some element in range"),
        pytest.param(and_(gt("f", 2), lt("f", 4)), {"f": [1, 5]}, True, id="each bound by its own element"),
        pytest.param(Leaf("lt", "f", math.nan), {"f": 1}, False, id="nothing is below NaN"),
        pytest.param(lt("f", "b"), {"f": "a"}, True, id="text is ordered by bytes"),
        pytest.param(lt("f", "\uffff"), {"f": "\U0001f600"}, False, id="by UTF-8 bytes, not UTF-16 units"),
        # Prefix.
        pytest.param(prefix("f", "os."), {"f": ["re", "os.path"]}, True, id="some element starts so"),
        pytest.param(prefix("f", "1"), {"f": 12}, False, id="a number has no prefix"),
        pytest.param(prefix("f", ""), {"f": "x"}, True, id="the empty prefix fits all text"),
        pytest.param(prefix("f", ""), MISSING, False, id="but not nothing"),
        # Empty connectives.
        pytest.param(and_(), MISSING, True, id="and of nothing"),
        pytest.param(or_(), MISSING, False, id="or of nothing"),
        # Kleene.
        pytest.param(UNKNOWN, MISSING, None, id="opaque"),
        pytest.param(not_(UNKNOWN), MISSING, None, id="not unknown"),
        pytest.param(and_(UNKNOWN, exists("f")), MISSING, False, id="unknown and false"),
        pytest.param(and_(UNKNOWN, exists("f")), {"f": 1}, None, id="unknown and true"),
        pytest.param(or_(UNKNOWN, exists("f")), {"f": 1}, True, id="unknown or true"),
        pytest.param(or_(UNKNOWN, exists("f")), MISSING, None, id="unknown or false"),
        pytest.param(ProtectedLeaf("eq", "f", "00"), {"f": "a"}, None, id="a protected value is unknown"),
    ],
)
def test_case(predicate: Predicate, document: Mapping[str, object], expected: bool | None) -> None:
    assert evaluate(predicate, document) is expected


@pytest.mark.parametrize(
    ("op", "value", "stored", "expected"),
    [
        ("eq", "2026-01-01T00:00:00Z", "2026-01-01T01:00:00+01:00", True),
        ("eq", "2026-01-01", "2026-01-01T00:00:00", True),
        ("eq", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000Z", True),
        ("eq", "yesterday", "yesterday", False),
        ("lt", "2026-01-01T00:00:00Z", "2025-12-31T23:59:59.999999", True),
        ("lt", "2026-01-01T00:00:00Z", "2026-01-01T00:30:00+01:00", True),
        ("gte", "2026-01-01T00:00:00Z", "2026-01-01 00:00:00z", True),
        ("gt", "2026-01-01T00:00:00Z", "soon", False),
        ("gt", "2026-01-01T00:00:00Z", 1_800_000_000, False),
        ("lt", "not a date", "2026-01-01", False),
    ],
)
def test_moments_compare_as_moments(op: Op, value: str, stored: object, expected: bool) -> None:
    assert evaluate(Leaf(op, "at", value, is_datetime=True), {"at": stored}) is expected


def test_lists_of_moments() -> None:
    listed = ("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z")
    document = {"at": ["2026-01-01T01:00:00+01:00", "junk"]}
    assert evaluate(Leaf("in", "at", listed, is_datetime=True), document) is True
    assert evaluate(Leaf("nin", "at", listed, is_datetime=True), document) is False
    assert evaluate(Leaf("all", "at", listed, is_datetime=True), document) is False
    assert evaluate(Leaf("all", "at", listed[:1], is_datetime=True), document) is True


@pytest.mark.parametrize(
    "text",
    ["", "2026", "2026-1-1", "2026-02-30", "2026-01-01T24:00:01Z", "20260101", "2026-W01-1", "２０２６-01-01", None, 5],
)
def test_what_is_not_rfc_3339_is_no_moment(text: object) -> None:
    assert parse_moment(text) is None


def test_moments_at_the_edge_of_time_are_no_moments() -> None:
    assert parse_moment("0001-01-01T00:00:00+23:59") is None
    assert parse_moment("9999-12-31T23:59:59-23:59") is None


FIELDS = st.sampled_from(["a", "b", "c"])
SCALARS = st.one_of(
    st.sampled_from(["x", "y", "xy", "1", ""]),
    st.sampled_from([0, 1, 2, -1, 1.0, 1.5, math.nan, 2**60]),
    st.booleans(),
)
BAGS = st.one_of(SCALARS, st.none(), st.lists(st.one_of(SCALARS, st.none()), max_size=4))
DOCUMENTS = st.dictionaries(FIELDS, BAGS, max_size=3)
PLAIN = st.just(False)
LEAVES = st.one_of(
    st.builds(Leaf, st.sampled_from(["eq", "lt", "lte", "gt", "gte", "prefix"]), FIELDS, SCALARS, PLAIN),
    st.builds(Leaf, st.sampled_from(["in", "nin", "all"]), FIELDS, st.lists(SCALARS, max_size=3).map(tuple), PLAIN),
    st.builds(Leaf, st.sampled_from(["exists", "is_null"]), FIELDS, st.none(), PLAIN),
    st.just(Opaque("lucene", "?")),
)
PREDICATES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.builds(And, st.lists(inner, max_size=3).map(tuple)),
        st.builds(Or, st.lists(inner, max_size=3).map(tuple)),
        st.builds(Not, inner),
    ),
    max_leaves=8,
)


def same(left: Any, right: Any) -> bool:
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, str) or isinstance(right, str):
        return isinstance(left, str) and isinstance(right, str) and left == right
    return float(left) == float(right)


def ordered(op: str, left: Any, right: Any) -> bool:
    if isinstance(left, bool) or isinstance(right, bool) or isinstance(left, str) is not isinstance(right, str):
        return False
    left, right = (v.encode() if isinstance(v, str) else float(v) for v in (left, right))
    return bool({"lt": left < right, "lte": left <= right, "gt": left > right, "gte": left >= right}[op])


def reference_leaf(leaf: Leaf, document: Mapping[str, Any]) -> bool:
    """The conventions' words, as directly as they can be written."""
    stored = document.get(leaf.field)
    bag = [v for v in (stored if isinstance(stored, list) else [stored]) if v is not None]
    value: Any = leaf.value
    match leaf.op:
        case "exists":
            return bag != []
        case "is_null":
            return leaf.field in document and stored is None
        case "eq":
            return any(same(v, value) for v in bag)
        case "in":
            return any(any(same(v, w) for w in value) for v in bag)
        case "nin":
            return any(not any(same(v, w) for w in value) for v in bag)
        case "all":
            return bag != [] and all(any(same(v, w) for v in bag) for w in value)
        case "prefix":
            return any(isinstance(v, str) and isinstance(value, str) and v.startswith(value) for v in bag)
        case _:
            return any(ordered(leaf.op, v, value) for v in bag)


def possible(predicate: Predicate, document: Mapping[str, Any]) -> set[bool]:
    """The results that are possible when each opaque part may be true or false, each on its own."""
    if isinstance(predicate, Opaque | ProtectedLeaf):
        return {True, False}
    if isinstance(predicate, Leaf):
        return {reference_leaf(predicate, document)}
    if isinstance(predicate, Not):
        return {not result for result in possible(predicate.arg, document)}
    whole = {isinstance(predicate, And)}
    for arg in predicate.args:
        part = possible(arg, document)
        whole = {(a and b) if isinstance(predicate, And) else (a or b) for a in whole for b in part}
    return whole


@settings(max_examples=600, deadline=None)
@given(PREDICATES, DOCUMENTS)
def test_it_agrees_with_the_words_of_the_conventions(predicate: Predicate, document: dict[str, Any]) -> None:
    results = possible(predicate, document)
    assert evaluate(predicate, document) is (results.pop() if len(results) == 1 else None)


@settings(max_examples=200, deadline=None)
@given(PREDICATES, PREDICATES, DOCUMENTS)
def test_de_morgan_holds_with_unknown_parts(left: Predicate, right: Predicate, document: dict[str, Any]) -> None:
    assert evaluate(Not(And((left, right))), document) is evaluate(Or((Not(left), Not(right))), document)


@given(PREDICATES, DOCUMENTS)
def test_not_not_is_nothing(predicate: Predicate, document: dict[str, Any]) -> None:
    assert evaluate(Not(Not(predicate)), document) is evaluate(predicate, document)
