"""What comes after the end of a span, or in its very moment, costs no span and leaves past no redactor."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from typing import Any

import pytest
from opentelemetry.trace import SpanContext, StatusCode, TraceFlags

import ragvigil
from ragvigil import attributes as names
from ragvigil.export.exporter import Delivery, Outcome, Signal
from ragvigil.testing import InMemoryExporter
from ragvigil.testing.snapshots import SpanSnapshot

WaitFor = Callable[[Callable[[], object]], None]
OTHER = SpanContext(trace_id=5, span_id=6, is_remote=True, trace_flags=TraceFlags(1))


class Reluctant(InMemoryExporter):
    """Takes nothing until it is told to; by then what waits has been redacted."""

    def __init__(self) -> None:
        super().__init__()
        self.is_willing = False
        self.refused = 0

    def export(self, signal: Signal, payload: bytes) -> Delivery:
        if self.is_willing:
            return super().export(signal, payload)
        self.refused += 1
        return Delivery(Outcome.RETRY, reason="not yet")


class Held:
    """An iterable that is read only when the test says so."""

    def __init__(self, items: list[str]) -> None:
        self.items = items
        self.is_asked = threading.Event()
        self.go = threading.Event()

    def __iter__(self) -> Iterator[str]:
        self.is_asked.set()
        assert self.go.wait(10)
        return iter(self.items)


def starred(text: str) -> str:
    return text.replace("SECRET", "***")


@contextmanager
def ended_meanwhile(span: Any, held: Held, write: Callable[[], object], wait_for: WaitFor) -> Iterator[SpanSnapshot]:
    """The span that leaves when `write` reads `held` only after the span has ended and was redacted."""
    exporter = Reluctant()
    ragvigil.configure(exporter=exporter, export_interval_s=0.01, redactors=[starred], document_texts=True)
    with span:
        writer = threading.Thread(target=write)
        writer.start()
        assert held.is_asked.wait(10)
    wait_for(lambda: exporter.refused)
    held.go.set()
    writer.join()
    exporter.is_willing = True
    assert ragvigil.flush()
    yield exporter.spans[0]


STAGE_WRITES: dict[str, Callable[[ragvigil.Stage, Any], object]] = {
    "inputs": lambda stage, held: stage.inputs(["1"], texts=held),
    "outputs": lambda stage, held: stage.outputs(["1"], texts=held),
    "context": lambda stage, held: stage.context(held),
    "attribute": lambda stage, held: stage.set_attributes({"k": 1, "j": _Sequence(held)}),
    "event": lambda stage, held: stage.add_event("noted", {"k": _Sequence(held)}),
    "link": lambda stage, held: stage.add_link(OTHER, {"k": _Sequence(held)}),
}


class _Sequence(tuple[str, ...]):
    """Items that are read late."""

    held: Held

    def __new__(cls, held: Held) -> "_Sequence":
        made = super().__new__(cls, held.items)
        made.held = held
        return made

    def __iter__(self) -> Iterator[str]:
        return iter(self.held)


@pytest.mark.parametrize("write", STAGE_WRITES.values(), ids=STAGE_WRITES)
def test_what_a_stage_is_told_over_its_end_leaves_past_no_redactor(
    write: Any, wait_for: WaitFor, lenient: None
) -> None:
    held = Held(["SECRET"])
    stage = ragvigil.stage("rerank")
    with ended_meanwhile(stage, held, lambda: write(stage, held), wait_for) as span:
        assert "SECRET" not in repr(span)


def test_nor_does_what_an_answer_is_told(wait_for: WaitFor, lenient: None) -> None:
    held = Held(["SECRET"])
    answer = ragvigil.pipeline("ask")
    told: Any = held
    with ended_meanwhile(answer, held, lambda: answer.set(citations=told), wait_for) as span:
        assert "SECRET" not in repr(span)


def adopted() -> tuple[ragvigil.Answer, ragvigil.Answer]:
    outer = ragvigil.pipeline("outer")
    outer.is_adoptable = True
    with outer:
        inner = ragvigil.pipeline("inner")
        copy_context().run(inner.__enter__)  # as in a task of its own, which outlives the request
        inner.set(question="why?")
    return outer, inner


def tell_everything(span: Any) -> None:
    span.set_attribute("late", 1)
    span.add_event("late")
    span.add_link(OTHER, {"late": 1})
    span.set_status(StatusCode.ERROR, "late")
    span.record_exception(ValueError("late"))
    span.first_token()
    span.update_name("late")


def test_a_view_takes_no_facts_once_its_answer_has_ended(lenient: None) -> None:
    exporter = InMemoryExporter()
    ragvigil.configure(exporter=exporter, redactors=[starred])
    outer, inner = adopted()
    assert not inner.is_recording()
    inner.set(answer="late")
    inner.slice("team", "late")
    tell_everything(inner)
    failure = ValueError("late")
    copy_context().run(inner.__exit__, ValueError, failure, None)
    assert ragvigil.flush()
    (span,) = exporter.spans
    assert "late" not in repr(span)
    assert span.attributes[names.INPUT_VALUE] == "why?"
    assert (span.status, ragvigil.counts().dropped) == ("unset", 0)
    assert not outer.is_recording()


def test_neither_does_any_span_that_has_ended() -> None:
    exporter = InMemoryExporter()
    ragvigil.configure(exporter=exporter)
    with ragvigil.stage("generate") as stage:
        pass
    tell_everything(stage)
    stage.set(model="late")
    assert ragvigil.flush()
    (span,) = exporter.spans
    assert "late" not in repr(span)
    assert not [key for key in span.attributes if "first_token" in key]


def test_who_kept_the_facts_of_a_span_disturbs_nobody(lenient: None) -> None:
    """Facts that are written straight into what a span once held, while redactors are at work on it."""
    redacting, done = threading.Event(), threading.Event()

    def slow(text: str) -> str:
        redacting.set()
        assert done.wait(10)
        return text

    exporter = InMemoryExporter()
    ragvigil.configure(exporter=exporter, export_interval_s=0.01, redactors=[slow])
    with ragvigil.stage("generate") as span:
        fields = span.fields
        span.set(input="x", output="y")
        span.set_attribute("k", "v")
        attributes = span.rare.attributes if span.rare is not None else {}
    assert redacting.wait(10)
    fields["model"] = attributes["late"] = "late"
    done.set()
    assert ragvigil.flush()
    (found,) = exporter.spans
    assert "late" not in repr(found)
    assert ragvigil.counts().dropped == 0
