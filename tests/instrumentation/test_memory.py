"""What is delivered is freed at once, without waiting for the garbage collector."""

import gc
import weakref
from collections.abc import AsyncIterator, Callable, Iterator

import pytest

import ragvigil
from ragvigil import relevance, where
from ragvigil.predicates import eq
from ragvigil.testing import InMemoryExporter

Exported = Callable[[], InMemoryExporter]


@pytest.fixture
def no_collector() -> Iterator[None]:
    """Without the cyclic collector only reference counts free anything."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def answer_with_everything() -> list[weakref.ref[object]]:
    with ragvigil.pipeline("ask") as answer:
        answer.set(question="why?", citations=["a"])
        answer.slice("team", "data")
        with ragvigil.stage("retrieve") as stage:
            stage.outputs(["a"], [0.5])
            stage.filter(where(relevance(eq("kind", "a"))))
            stage.add_event("retried")
            with ragvigil.pipeline("nested") as nested, ragvigil.stage("generate") as inner:
                inner.set(model="m")
    return [weakref.ref(span) for span in (answer, stage, nested, inner)]


def test_spans_are_freed_when_they_are_delivered(exported: Exported, no_collector: None) -> None:
    references = answer_with_everything()
    assert len(exported().spans) == 4
    assert [reference() for reference in references] == [None] * 4


def test_spans_that_are_dropped_are_freed(no_collector: None) -> None:
    ragvigil.configure(exporter=InMemoryExporter(), max_queue_bytes=1)
    references = answer_with_everything()
    assert ragvigil.counts().dropped == 4
    assert [reference() for reference in references] == [None] * 4


def test_spans_are_freed_when_nothing_is_configured(no_collector: None) -> None:
    assert [reference() for reference in answer_with_everything()] == [None] * 4


def test_a_finished_stream_frees_its_span(exported: Exported, no_collector: None) -> None:
    seen: list[weakref.ref[object]] = []

    @ragvigil.pipeline
    def ask(question: str) -> Iterator[str]:
        seen.append(weakref.ref(ragvigil.current_answer()))
        with ragvigil.stage("generate"):
            yield "a"

    assert list(ask("why?")) == ["a"]
    assert len(exported().spans) == 2
    assert seen[0]() is None


async def test_a_finished_async_stream_frees_its_span(exported: Exported, no_collector: None) -> None:
    seen: list[weakref.ref[object]] = []

    @ragvigil.pipeline
    async def ask(question: str) -> AsyncIterator[str]:
        seen.append(weakref.ref(ragvigil.current_answer()))
        yield "a"

    assert [item async for item in ask("why?")] == ["a"]
    assert len(exported().spans) == 1
    assert seen[0]() is None


def test_an_exception_that_was_recorded_keeps_nothing_alive(exported: Exported, no_collector: None) -> None:
    class Big:
        """A local variable of the application."""

    def fail() -> weakref.ref[Big]:
        local = Big()
        reference = weakref.ref(local)
        try:
            with ragvigil.stage("retrieve"):
                raise ValueError(str(local))
        except ValueError:
            return reference

    assert fail()() is None
    assert len(exported().spans) == 1


def test_an_exception_is_freed_with_its_locals_when_its_span_ends(exported: Exported, no_collector: None) -> None:
    class FailedError(Exception):
        pass

    def ask() -> weakref.ref[object]:
        outer = ragvigil.pipeline("outer")
        outer.is_adoptable = True
        seen: list[weakref.ref[object]] = []
        with outer:
            try:
                with ragvigil.pipeline("inner"):
                    failure = FailedError()
                    seen.append(weakref.ref(failure))
                    raise failure
            except FailedError:
                failure = None
        return seen[0]

    assert ask()() is None
