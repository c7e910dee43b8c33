"""Filters in words for people who are on call."""

import json

import pytest

from ragvigil import entitlement, relevance, where
from ragvigil.predicates import (
    Filter,
    Predicate,
    PredicateError,
    all_,
    and_,
    eq,
    exists,
    gt,
    gte,
    in_,
    is_null,
    labels_to_json,
    lt,
    lte,
    nin,
    not_,
    opaque,
    or_,
    prefix,
    to_json,
    words,
)
from ragvigil.predicates.protect import protected
from ragvigil.predicates.words import phrase


def said(given: Filter) -> list[str]:
    assert given.predicate is not None
    return words(to_json(given.predicate), labels_to_json(given.labels))


def test_one_phrase_a_clause_with_role_and_origin() -> None:
    given = where(
        relevance(eq("kind", "function"), origin="rule"),
        entitlement(in_("package", ["a", "b", "c"])),
        relevance(eq("topic", "io"), origin="llm"),
        eq("draft", False),
    )
    assert said(protected(given, b"k" * 16)) == [
        "kind is function (relevance, rule)",
        "package is one of 3 protected values (entitlement)",
        "topic is io (relevance, llm)",
        "draft is a protected value (no role declared, so entitlement)",
    ]


def test_no_clause_is_nothing_to_say() -> None:
    assert said(where()) == []


def test_a_root_that_is_no_and_is_one_phrase() -> None:
    assert words(to_json(eq("kind", "a")), [{"path": "", "role": "relevance"}]) == ["kind is a (relevance)"]
    assert words(to_json(or_(eq("a", 1), eq("b", 2)))) == ["a is 1 or b is 2 (no role declared, so entitlement)"]


def test_a_clause_with_mixed_roles_counts_as_entitlement() -> None:
    ast = to_json(and_(or_(eq("kind", "a"), eq("tenant", "b"))))
    assert words(ast, [{"path": "/args/0/args/0", "role": "relevance"}]) == [
        "kind is a or tenant is b (no role declared, so entitlement)"
    ]


def test_leaves_labelled_one_by_one_are_relevance_when_all_are() -> None:
    ast = to_json(and_(or_(eq("kind", "a"), eq("topic", "b"))))
    labels = [{"path": f"/args/0/args/{index}", "role": "relevance"} for index in range(2)]
    assert words(ast, labels) == ["kind is a or topic is b (relevance)"]


def test_json_text_is_understood_as_it_was_sent() -> None:
    given = where(relevance(eq("kind", "a")))
    assert given.predicate is not None
    assert words(json.dumps(to_json(given.predicate)), json.dumps(labels_to_json(given.labels))) == [
        "kind is a (relevance)"
    ]


@pytest.mark.parametrize("ast", ["{", {"op": "?"}, None])
def test_what_is_not_valid_is_refused(ast: object) -> None:
    with pytest.raises(PredicateError):
        words(ast)


@pytest.mark.parametrize(
    ("predicate", "expected"),
    [
        (eq("f", True), "f is true"),
        (eq("f", None), "f is null"),
        (in_("f", ["a"]), "f is one of a"),
        (in_("f", []), "f is one of no values"),
        (in_("f", range(7)), "f is one of 0, 1, 2, 3, 4 and 2 more"),
        (nin("f", ["a", "b"]), "f has something other than a, b"),
        (all_("f", ["a", "b"]), "f has all of a, b"),
        (lt("f", 1), "f is below 1"),
        (lte("f", 1), "f is at most 1"),
        (gt("f", 1.5), "f is above 1.5"),
        (gte("f", 1), "f is at least 1"),
        (prefix("f", "os."), "f starts with os."),
        (exists("f"), "f is present"),
        (is_null("f"), "f is null"),
        (not_(eq("f", "a")), "not (f is a)"),
        (and_(), "anything"),
        (or_(), "nothing"),
        (or_(and_(eq("f", 1), eq("g", 2)), not_(exists("h"))), "(f is 1 and g is 2) or not (h is present)"),
        (opaque("es", "geo"), "something in es that is not understood: geo"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_phrases(predicate: Predicate, expected: str) -> None:
    assert phrase(predicate) == expected


def test_one_protected_value_of_a_list() -> None:
    assert said(protected(where(entitlement(in_("team", ["a"]))), b"k")) == [
        "team is one of 1 protected value (entitlement)"
    ]
