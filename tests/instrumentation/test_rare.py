"""Attributes, events and links of any make: what can be kept is, the rest is counted, and the span always leaves."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from opentelemetry.trace import SpanContext, StatusCode, TraceFlags

import ragvigil
from ragvigil import attributes as names
from ragvigil.predicates import eq
from ragvigil.rare import MAX_DEPTH, MAX_INTEGER_BITS, MAX_ITEMS
from ragvigil.testing import InMemoryExporter, ManualClock, SequentialIds

Exported = Callable[[], InMemoryExporter]
OTHER = SpanContext(trace_id=5, span_id=6, is_remote=True, trace_flags=TraceFlags(1))
WIDE = SpanContext(trace_id=5, span_id=6, is_remote=True, trace_flags=TraceFlags(1 << 40))


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
    "a part of a filter": eq("tenant", "acme"),
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


@pytest.mark.parametrize("value", [bytearray(b"a@b.example"), memoryview(b"a@b.example")], ids=["bytearray", "view"])
def test_a_buffer_leaves_as_bytes_that_redactors_see(value: Any, lenient: None) -> None:
    exporter = InMemoryExporter()
    ragvigil.configure(exporter=exporter, redactors=[lambda text: text.replace("a@b.example", "***")])
    with ragvigil.pipeline("ask") as answer:
        answer.set_attribute("k", value)
    assert ragvigil.flush()
    assert exporter.one("ask").attributes["k"] == b"***"


class NoTextError(Exception):
    def __str__(self) -> str:
        raise ValueError("no text")


class NoNumber:
    def __float__(self) -> float:
        raise RuntimeError("two elements")


class NoAttributes:
    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(name)


WRONG: dict[str, Callable[[Any], object]] = {
    "an int as key": lambda span: span.set_attribute(5, "x"),
    "None as key": lambda span: span.set_attribute(None, "x"),
    "one key of several": lambda span: span.set_attributes({"a": 1, 7: 2}),
    "no attributes": lambda span: span.set_attributes(None),
    "a list of attributes": lambda span: span.set_attributes([1]),
    "an event without name": lambda span: span.add_event(None),
    "an int as key of an event": lambda span: span.add_event("e", {5: "x"}),
    "a list as attributes of an event": lambda span: span.add_event("e", [1]),
    "an int as key of a link": lambda span: span.add_link(OTHER, {5: "x"}),
    "a link to text": lambda span: span.add_link("5-6", {"a": 1}),
    "a link with wide flags": lambda span: span.add_link(WIDE),
    "no name": lambda span: span.update_name(None),
    "a number as name": lambda span: span.update_name(5),
    "text as status": lambda span: span.set_status("error"),
    "an exception as description": lambda span: span.set_status(StatusCode.ERROR, ValueError("x")),
    "text as exception": lambda span: span.record_exception("text"),
    "a time far away": lambda span: span.add_event("e", timestamp=1 << 70),
    "a time before all": lambda span: span.add_event("e", timestamp=-(1 << 70)),
    "an infinite time": lambda span: span.add_event("e", timestamp=float("inf")),
    "text as time": lambda span: span.record_exception(ValueError(), timestamp="now"),
    "an end as float": lambda span: span.end(1.8e18),
    "an end far away": lambda span: span.end(1 << 70),
    "an end at no time": lambda span: span.end(float("nan")),
    "text as end": lambda span: span.end("now"),
    "tokens that are no number": lambda span: span.set(input_tokens=NoNumber(), output_tokens=NoAttributes()),
}


@pytest.mark.parametrize("make", [ragvigil.pipeline, ragvigil.stage], ids=["answer", "stage"])
@pytest.mark.parametrize("tell", WRONG.values(), ids=WRONG)
@pytest.mark.parametrize("content", ["full", "none"])
def test_what_is_told_wrongly_costs_no_span(
    make: Any, tell: Callable[[Any], object], content: Any, lenient: None
) -> None:
    exporter = InMemoryExporter()
    ragvigil.configure(exporter=exporter, content=content)
    with make("generate") as span:
        span.set_attribute("before", 1)
        tell(span)
    assert ragvigil.flush()
    found = exporter.one("generate")
    assert found.end_ns >= found.start_ns > 0
    assert (ragvigil.counts().exported, ragvigil.counts().dropped) == (1, 0)


def test_what_is_refused_is_counted(exported: Exported) -> None:
    told: Any
    with ragvigil.pipeline("ask") as told:
        told.set_attributes({"a": 1, 7: 2, None: 3})
        told.add_event("noted", {5: "x", "b": 2})
        told.add_event(None)
        told.add_link("5-6")
        told.set_status("error")
    span = exported().one("ask")
    assert span.attributes["a"] == 1
    assert [event.attributes for event in span.events] == [{"b": 2}]
    assert (span.dropped_attributes, span.dropped_events, span.dropped_links) == (4, 1, 1)
    assert span.status == "unset"


@pytest.mark.parametrize(
    ("timestamp", "time_ns"),
    [(-5, 0), (1 << 70, (1 << 63) - 1), (1.5e18, 1_500_000_000_000_000_000), (2.7, 2)],
)
def test_a_time_is_whole_and_within_what_can_be_written(exported: Exported, timestamp: Any, time_ns: int) -> None:
    with ragvigil.pipeline("ask") as answer:
        answer.add_event("noted", timestamp=timestamp)
    assert exported().one("ask").events[0].time_ns == time_ns


def test_a_time_that_is_none_is_now(exported: Exported, clock: ManualClock) -> None:
    told: Any
    with ragvigil.pipeline("ask") as told:
        clock.advance(1.5)
        told.end(float("nan"))
        clock.advance(1.5)
    assert exported().one("ask").duration_s == 1.5


def test_a_wall_clock_before_1970_costs_no_span() -> None:
    exporter, clock = InMemoryExporter(), ManualClock()
    clock.set_wall_ns(-(10**18))
    ragvigil.configure(exporter=exporter, clock=clock, ids=SequentialIds())
    with ragvigil.pipeline("ask"):
        pass
    assert ragvigil.flush()
    assert exporter.one("ask").start_ns == 0


@pytest.mark.parametrize("name", [5, None, ["x"], NoTextError()], ids=["number", "none", "list", "without text"])
def test_a_stage_without_a_name_that_is_text_is_recorded(exported: Exported, name: Any) -> None:
    with ragvigil.stage(name):
        pass
    assert len(exported().spans) == 1


def test_an_exception_without_text_is_recorded_by_its_type(exported: Exported) -> None:
    with pytest.raises(NoTextError), ragvigil.stage("retrieve"):
        raise NoTextError
    span = exported().one("retrieve")
    assert (span.status, span.status_message) == ("error", "NoTextError")
    (event,) = span.events
    assert (event.attributes[names.EXCEPTION_TYPE], event.attributes[names.EXCEPTION_MESSAGE]) == ("NoTextError", "")
    assert "NoTextError" in event.attributes[names.EXCEPTION_STACKTRACE]


def test_an_exception_that_cannot_even_be_formatted_is_recorded(exported: Exported) -> None:
    class UnformattableError(Exception):
        def __getattribute__(self, name: str) -> Any:
            if name == "__notes__":
                raise RuntimeError("no notes")
            return super().__getattribute__(name)

    with pytest.raises(UnformattableError), ragvigil.stage("retrieve"):
        raise UnformattableError("x")
    span = exported().one("retrieve")
    assert (span.status, span.status_message) == ("error", "UnformattableError: x")
    assert len(span.events) == 1
