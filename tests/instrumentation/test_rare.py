"""Attributes, events and links of any make: what can be kept is, the rest is counted, and the span always leaves."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from opentelemetry.trace import SpanContext, TraceFlags

import ragvigil
from ragvigil.rare import MAX_DEPTH, MAX_INTEGER_BITS, MAX_ITEMS
from ragvigil.testing import InMemoryExporter

Exported = Callable[[], InMemoryExporter]
OTHER = SpanContext(trace_id=5, span_id=6, is_remote=True, trace_flags=TraceFlags(1))


def nested(depth: int) -> Any:
    value: object = "x"
    for _ in range(depth):
        value = [value]
    return value


def endless() -> list[Any]:
    value: list[Any] = []
    value += [value] * 10
    return value


def branching(depth: int) -> list[Any]:
    """A list of few objects that has 100 to the power of `depth` items when it is copied."""
    value: list[Any] = ["x"] * 100
    for _ in range(depth - 1):
        value = [value] * 100
    return value


class Unreadable(Sequence[str]):
    def __len__(self) -> int:
        return 3

    def __getitem__(self, index: Any) -> Any:
        raise OSError("the connection is closed")


BEYOND: dict[str, Any] = {
    "deep": nested(MAX_DEPTH + 1),
    "deep enough for a reader to refuse": nested(49),
    "deeper than the stack": nested(5000),
    "endless": endless(),
    "branching": branching(7),
    "long": range(MAX_ITEMS + 1),
    "longer than a length": range(10**30),
    "a huge number": 1 << MAX_INTEGER_BITS,
    "unreadable": Unreadable(),
}


@pytest.mark.parametrize("value", BEYOND.values(), ids=BEYOND)
def test_what_is_beyond_the_bounds_costs_itself_only(exported: Exported, value: Any) -> None:
    with ragvigil.pipeline("ask") as answer:
        answer.set_attribute("k", value)
        answer.add_event("noted", {"k": value, "j": 1})
        answer.add_link(OTHER, {"k": value, "j": 1})
        answer.set_attribute("after", 1)
    span = exported().one("ask")
    assert "k" not in span.attributes
    assert (span.attributes["after"], span.dropped_attributes) == (1, 3)
    assert span.events[0].attributes == {"j": 1}
    assert len(span.links) == 1


@pytest.mark.parametrize("value", BEYOND.values(), ids=BEYOND)
def test_such_a_resource_is_refused_at_once(value: Any) -> None:
    with pytest.raises(ValueError, match=r"resource\['k'\]"):
        ragvigil.configure(resource={"k": value}, exporter=InMemoryExporter())


@pytest.mark.parametrize("value", [nested(MAX_DEPTH), list(range(MAX_ITEMS)), (1 << MAX_INTEGER_BITS) - 1])
def test_what_is_within_the_bounds_is_kept(exported: Exported, value: Any) -> None:
    with ragvigil.pipeline("ask") as answer:
        answer.set_attribute("k", value)
    span = exported().one("ask")
    assert "k" in span.attributes
    assert span.dropped_attributes == 0
