"""An answer that begins directly below one that waits for it is the same answer."""

from collections.abc import Callable, Generator, Iterator
from contextlib import suppress

import pytest

import ragvigil
from ragvigil import attributes as names
from ragvigil.testing import InMemoryExporter, ManualClock

Exported = Callable[[], InMemoryExporter]


def waiting() -> ragvigil.Answer:
    answer = ragvigil.pipeline("outer")
    answer.is_adoptable = True
    return answer


def test_what_the_inner_one_says_is_said_of_the_outer(exported: Exported) -> None:
    with waiting() as outer:
        outer.slice("team", "data")
        inner = ragvigil.pipeline("inner", intent="how_to")
        inner.set_attribute("early", 1)
        with inner as same:
            assert same.id == outer.id
            assert same.token() == outer.token() is not None
            same.set(question="why")
            same.slice("plan", "free")
            same.set_attribute("late", 2)
            same.add_event("noted")
        outer.set(answer="because")
    (span,) = exported().spans
    assert span.name == "outer"
    assert (span.attributes[names.INPUT_VALUE], span.attributes[names.OUTPUT_VALUE]) == ("why", "because")
    assert span.attributes[names.INTENT] == "how_to"
    assert span.attributes[names.SLICE_PREFIX + "team"] == "data"
    assert span.attributes[names.SLICE_PREFIX + "plan"] == "free"
    assert (span.attributes["early"], span.attributes["late"]) == (1, 2)
    assert [event.name for event in span.events] == ["noted"]
    assert ragvigil.counts().started == ragvigil.counts().exported == 1


def test_the_end_of_the_inner_one_is_not_that_of_the_outer(exported: Exported, clock: ManualClock) -> None:
    with waiting():
        with ragvigil.pipeline("inner") as inner:
            clock.advance(1.0)
        inner.set(answer="after its end")
        with ragvigil.stage("later"):
            clock.advance(2.0)
    outer, later = exported().one("outer"), exported().one("later")
    assert outer.duration_s == 3.0
    assert names.OUTPUT_VALUE not in outer.attributes
    assert later.attributes[names.ANSWER_SPAN_ID] == later.parent_id == outer.span_id


def test_stages_inside_belong_to_the_outer_one(exported: Exported) -> None:
    with waiting() as outer, ragvigil.pipeline("inner"), ragvigil.stage("embed"):
        assert ragvigil.current_answer().id == outer.id
    stage = exported().one("embed")
    assert stage.parent_id == stage.attributes[names.ANSWER_SPAN_ID] == exported().one("outer").span_id


def test_a_streamed_answer_is_adopted_with_its_text_and_first_token(exported: Exported, clock: ManualClock) -> None:
    @ragvigil.pipeline
    def words(question: str) -> Iterator[str]:
        clock.advance(2.0)
        yield question
        yield "!"

    with waiting():
        assert list(words("why")) == ["why", "!"]
    (span,) = exported().spans
    assert span.attributes[names.OUTPUT_VALUE] == "why!"
    assert span.attributes[names.TIME_TO_FIRST_CHUNK] == 2.0


def test_a_failure_inside_is_recorded_although_it_is_caught_outside(exported: Exported) -> None:
    with waiting(), pytest.raises(ZeroDivisionError), ragvigil.pipeline("inner"):
        raise ZeroDivisionError("own")
    assert exported().one("outer").status_message == "ZeroDivisionError: own"


def test_only_the_first_directly_below_is_adopted(exported: Exported) -> None:
    with waiting():
        with ragvigil.stage("between"), ragvigil.pipeline("below a stage"):
            pass
        with ragvigil.pipeline("first"), ragvigil.pipeline("nested"):
            pass
        with ragvigil.pipeline("second"):
            pass
    assert [span.name for span in exported().spans] == ["below a stage", "between", "nested", "second", "outer"]
    ids = [span.attributes[names.ANSWER_ID] for span in exported().spans if names.ANSWER_ID in span.attributes]
    assert len(set(ids)) == 4


def test_one_that_has_ended_adopts_nothing(exported: Exported) -> None:
    with waiting() as outer:
        outer.end()
        with ragvigil.pipeline("afterwards"):
            pass
    outer_span, later = exported().one("outer"), exported().one("afterwards")
    assert (later.trace_id, later.parent_id) == (outer_span.trace_id, outer_span.span_id)
    assert names.ANSWER_ID in later.attributes


def test_an_answer_waits_for_none_unless_told(exported: Exported) -> None:
    with ragvigil.pipeline("outer"), ragvigil.pipeline("inner"):
        pass
    assert len(exported().spans) == 2


def test_a_withdrawn_answer_is_a_span(exported: Exported) -> None:
    with waiting() as outer:
        outer.is_withdrawn = True
    (span,) = exported().spans
    assert names.ANSWER_ID not in span.attributes
    assert ragvigil.counts().exported == 1


def test_an_exception_that_leaves_both_is_recorded_once(exported: Exported) -> None:
    failure = KeyError("x")
    with pytest.raises(KeyError), waiting(), ragvigil.pipeline("inner"):
        raise failure
    span = exported().one("outer")
    assert [event.attributes[names.EXCEPTION_TYPE] for event in span.events] == ["KeyError"]
    assert (span.status, span.status_message) == ("error", "KeyError: 'x'")


def test_two_exceptions_are_two_however_equal(exported: Exported) -> None:
    with waiting() as outer:
        with suppress(KeyError), ragvigil.pipeline("inner"):
            raise KeyError("x")
        outer.fail(KeyError("x"))
    assert len(exported().one("outer").events) == 2


def test_what_was_streamed_until_the_outer_one_ends_is_its_answer(exported: Exported) -> None:
    @ragvigil.pipeline
    def ask(question: str) -> Generator[str, None, None]:
        yield "one "
        yield "two "

    with waiting():
        parts = ask("why?")
        assert next(parts) == "one "
    assert next(parts) == "two "
    parts.close()
    span = exported().one("outer")
    assert (span.attributes[names.INPUT_VALUE], span.attributes[names.OUTPUT_VALUE]) == ("why?", "one ")
