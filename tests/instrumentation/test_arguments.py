"""One argument of a call is found wherever Python allows it to stand."""

import functools
from collections.abc import Callable
from typing import Any

import pytest
from tests.samples.names import stable

from ragvigil.arguments import MISSING, Argument, first_text


def plain(first: str, second: int = 2, *rest: Any, third: str = "3", **more: Any) -> None:
    """Every kind of parameter."""


def positional(first: str, /, second: str) -> None:
    """One that has no name for its callers."""


@pytest.mark.parametrize(
    ("name", "arguments", "keywords", "found"),
    [
        ("first", ("a",), {}, "a"),
        ("first", (), {"first": "a"}, "a"),
        ("first", (), {}, MISSING),
        ("second", ("a", 5), {}, 5),
        ("second", ("a",), {}, 2),
        ("second", ("a",), {"second": None}, None),
        ("third", ("a", 5, "rest"), {}, "3"),
        ("third", ("a",), {"third": "x"}, "x"),
        ("fourth", ("a",), {"fourth": "y"}, "y"),
        ("fourth", ("a",), {}, MISSING),
    ],
    ids=stable,
)
def test_an_argument_is_found(name: str, arguments: tuple[Any, ...], keywords: dict[str, Any], found: object) -> None:
    assert Argument(plain, name).of(arguments, keywords) is found


def test_a_positional_only_argument_is_found_by_its_place() -> None:
    assert Argument(positional, "first").of(("a", "b"), {}) == "a"
    assert Argument(positional, "second").of(("a",), {"second": "b"}) == "b"


def test_what_a_partial_has_bound_is_its_default() -> None:
    bound = functools.partial(plain, "a", second=7)
    assert Argument(bound, "second").of((), {}) == 7


@pytest.mark.parametrize("function", [dict, print, type], ids=lambda function: function.__name__)
def test_a_function_without_a_readable_signature_costs_the_argument_only(
    lenient: None, function: Callable[..., object]
) -> None:
    assert Argument(function, "query").of(("a",), {}) is MISSING
    assert Argument(function, "query").of((), {"query": "a"}) == "a"


def test_the_first_text_is_found() -> None:
    assert first_text((1, "a", "b"), {}) == "a"
    assert first_text((1,), {"k": 2, "q": "a"}) == "a"
    assert first_text((), {"n": 1}) is None


@pytest.mark.parametrize(
    ("name", "arguments", "keywords", "call"),
    [
        ("first", ("a",), {}, (("new",), {})),
        ("first", (), {"first": "a"}, ((), {"first": "new"})),
        ("second", ("a",), {}, (("a",), {"second": "new"})),
        ("second", ("a", 5, "rest"), {"third": "x"}, (("a", "new", "rest"), {"third": "x"})),
        ("third", ("a",), {"third": "x"}, (("a",), {"third": "new"})),
        ("fourth", ("a",), {"fourth": "y"}, (("a",), {"fourth": "new"})),
    ],
    ids=stable,
)
def test_an_argument_is_replaced_where_it_stands(
    name: str, arguments: tuple[Any, ...], keywords: dict[str, Any], call: object
) -> None:
    before = dict(keywords)
    assert Argument(plain, name).replaced(arguments, keywords, "new") == call
    assert keywords == before


def optional(first: str = "a", /, **more: Any) -> None:
    """One that has no name for its callers, and may be left out."""


def test_a_keyword_that_only_looks_like_a_positional_argument_is_another_one() -> None:
    assert Argument(optional, "first").of((), {"first": "other"}) == "a"
    assert Argument(optional, "first").replaced(("b",), {"first": "other"}, "new") == (("new",), {"first": "other"})


def test_what_has_no_place_in_a_call_is_not_replaced() -> None:
    with pytest.raises(TypeError, match="only be given by position"):
        Argument(optional, "first").replaced((), {}, "new")
