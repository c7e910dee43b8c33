"""`pipeline`: what becomes an answer, around which kind of function, and what is recorded of it."""

import asyncio
import functools
import inspect
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

import ragvigil
from ragvigil import attributes as names
from ragvigil.testing import InMemoryExporter

Exported = Callable[[], InMemoryExporter]


def test_a_bare_decorator_records_question_answer_and_name(exported: Exported) -> None:
    @ragvigil.pipeline
    def ask(question: str) -> str:
        return f"re: {question}"

    assert ask("why?") == "re: why?"
    span = exported().one("ask")
    assert span.attributes[names.INPUT_VALUE] == "why?"
    assert span.attributes[names.OUTPUT_VALUE] == "re: why?"


def test_without_a_name_an_answer_bears_that_of_the_function(exported: Exported) -> None:
    @ragvigil.pipeline(intent="how-to")
    def ask(question: str) -> str:
        return question

    ask("why?")
    with ragvigil.pipeline():
        pass
    assert [span.name for span in exported().spans] == ["ask", "answer"]
    assert exported().one("ask").attributes[names.INTENT] == "how-to"


@pytest.mark.parametrize("call", [lambda ask: ask(1, "b", "c"), lambda ask: ask(1, second="c", first="b")])
def test_the_question_can_be_named(exported: Exported, call: Callable[[Callable[..., str]], str]) -> None:
    @ragvigil.pipeline("named", question="second", intent="how-to")
    def ask(number: int, first: str, second: str) -> str:
        return first + second + str(number)

    assert call(ask) == "bc1"
    span = exported().one("named")
    assert span.attributes[names.INPUT_VALUE] == "c"
    assert span.attributes[names.INTENT] == "how-to"


def test_the_default_of_a_named_question_counts(exported: Exported) -> None:
    @ragvigil.pipeline("named", question="question")
    def ask(question: str = "anything new?") -> None:
        return None

    ask()
    assert exported().one("named").attributes[names.INPUT_VALUE] == "anything new?"


def test_a_question_name_that_the_function_does_not_have_is_told_and_harmless(
    exported: Exported, lenient: None, caplog: pytest.LogCaptureFixture
) -> None:
    @ragvigil.pipeline("named", question="qestion")
    def ask(question: str) -> str:
        return question

    assert ask("why?") == "why?"
    assert names.INPUT_VALUE not in exported().one("named").attributes
    assert "has no argument named 'qestion'" in caplog.text


def test_a_method_is_an_answer_too(exported: Exported) -> None:
    class Shop:
        @ragvigil.pipeline
        def ask(self, question: str) -> str:
            return question.upper()

    assert Shop().ask("why?") == "WHY?"
    assert exported().one("ask").attributes[names.INPUT_VALUE] == "why?"


def test_what_is_set_inside_wins_over_what_is_returned(exported: Exported) -> None:
    @ragvigil.pipeline
    def ask(question: str) -> str:
        ragvigil.current_answer().set(question="rewritten", answer="shown")
        return "internal"

    ask("asked")
    attributes = exported().one("ask").attributes
    assert (attributes[names.INPUT_VALUE], attributes[names.OUTPUT_VALUE]) == ("rewritten", "shown")


def test_a_result_that_is_no_text_is_left_alone(exported: Exported) -> None:
    result = {"answer": object()}

    @ragvigil.pipeline
    def ask(question: str) -> dict[str, object]:
        return result

    assert ask("why?") is result
    assert names.OUTPUT_VALUE not in exported().one("ask").attributes


async def test_a_coroutine_stays_one(exported: Exported) -> None:
    @ragvigil.pipeline
    async def ask(question: str) -> str:
        await asyncio.sleep(0)
        return question.upper()

    assert inspect.iscoroutinefunction(ask)
    assert await ask("why?") == "WHY?"
    assert exported().one("ask").attributes[names.OUTPUT_VALUE] == "WHY?"


def test_a_generator_stays_one(exported: Exported) -> None:
    @ragvigil.pipeline
    def ask(question: str) -> Iterator[str]:
        yield from question.split()

    assert inspect.isgeneratorfunction(ask)
    assert list(ask("a b c")) == ["a", "b", "c"]
    assert exported().one("ask").attributes[names.OUTPUT_VALUE] == "abc"


async def test_an_async_generator_stays_one(exported: Exported) -> None:
    @ragvigil.pipeline
    async def ask(question: str) -> AsyncIterator[str]:
        for word in question.split():
            yield word

    assert inspect.isasyncgenfunction(ask)
    assert [word async for word in ask("a b c")] == ["a", "b", "c"]
    assert exported().one("ask").attributes[names.OUTPUT_VALUE] == "abc"


def test_the_wrapped_function_keeps_name_docstring_and_signature() -> None:
    def ask(question: str, *, limit: int = 3) -> str:
        """Answer."""
        return question * limit

    wrapped = ragvigil.pipeline(ask)
    assert wrapped.__name__ == "ask"
    assert wrapped.__doc__ == "Answer."
    assert inspect.signature(wrapped) == inspect.signature(ask)


def test_partials_and_callable_objects_are_wrapped_for_what_they_run(exported: Exported) -> None:
    class Asker:
        async def __call__(self, question: str) -> str:
            return question.upper()

    async def ask(prefix: str, question: str) -> str:
        return prefix + question

    partial = ragvigil.pipeline("partial")(functools.partial(ask, "re: "))
    instance = ragvigil.pipeline("instance")(Asker())

    async def both() -> list[str]:
        return [await partial("why?"), await instance("why?")]

    assert asyncio.run(both()) == ["re: why?", "WHY?"]
    assert {span.name for span in exported().spans} == {"partial", "instance"}


def test_a_context_manager_gives_the_answer(exported: Exported) -> None:
    with ragvigil.pipeline("ask") as answer:
        answer.set(question="why?", answer="because")
        assert ragvigil.current_answer() is answer
        assert answer.id == f"{answer.trace_id}-{answer.span_id:016x}"
    assert ragvigil.current_answer() is not answer
    assert exported().one("ask").attributes[names.ANSWER_ID] == answer.id


async def test_an_async_context_manager_gives_the_answer(exported: Exported) -> None:
    async with ragvigil.pipeline("ask") as answer, ragvigil.stage("generate") as stage:
        await asyncio.sleep(0)
        assert ragvigil.current_answer() is answer
        assert ragvigil.current_stage() is stage
    assert exported().one("generate").parent_id == exported().one("ask").span_id


def test_facts_that_come_after_the_end_are_not_recorded(exported: Exported) -> None:
    with ragvigil.pipeline("ask") as answer:
        answer.set(intent="early")
    answer.set(intent="late")
    answer.slice("team", "late")
    attributes = exported().one("ask").attributes
    assert attributes[names.INTENT] == "early"
    assert f"{names.SLICE_PREFIX}team" not in attributes


def test_an_exception_is_recorded_and_passes_through_untouched(exported: Exported) -> None:
    failure = ValueError("no such index")

    @ragvigil.pipeline
    def ask(question: str) -> str:
        raise failure

    with pytest.raises(ValueError, match="no such index") as raised:
        ask("why?")
    assert raised.value is failure
    assert failure.__cause__ is None
    assert failure.__context__ is None
    span = exported().one("ask")
    assert (span.status, span.status_message) == ("error", "ValueError: no such index")
    (event,) = span.events
    assert event.name == "exception"
    assert event.attributes[names.EXCEPTION_TYPE] == "ValueError"
    assert event.attributes[names.EXCEPTION_MESSAGE] == "no such index"
    assert "raise failure" in event.attributes[names.EXCEPTION_STACKTRACE]


def test_an_exception_that_cannot_be_printed_still_ends_the_span(exported: Exported, lenient: None) -> None:
    class UnprintableError(Exception):
        def __str__(self) -> str:
            raise RuntimeError("not even this")

    with pytest.raises(UnprintableError), ragvigil.pipeline("ask"):
        raise UnprintableError
    assert exported().one("ask").name == "ask"


def test_a_system_exit_is_an_event_and_no_error(exported: Exported) -> None:
    with pytest.raises(SystemExit), ragvigil.pipeline("ask"):
        raise SystemExit(3)
    span = exported().one("ask")
    assert span.status == "unset"
    assert span.events[0].attributes[names.EXCEPTION_TYPE] == "SystemExit"


def test_answers_nest_and_stages_belong_to_the_nearest(exported: Exported) -> None:
    with ragvigil.pipeline("agent") as outer, ragvigil.stage("plan"):
        with ragvigil.pipeline("tool") as inner, ragvigil.stage("retrieve"):
            assert ragvigil.current_answer() is inner
        assert ragvigil.current_answer() is outer
        with ragvigil.stage("generate"):
            pass
    found = exported()
    owner = {span.name: span.attributes.get(names.ANSWER_SPAN_ID) for span in found.spans}
    agent, tool = found.one("agent"), found.one("tool")
    assert owner == {
        "plan": agent.span_id,
        "retrieve": tool.span_id,
        "generate": agent.span_id,
        "tool": None,
        "agent": None,
    }
    assert tool.parent_id == found.one("plan").span_id
    assert len({span.trace_id for span in found.spans}) == 1


def test_citations_are_copied_when_they_are_given(exported: Exported) -> None:
    cited = ["a"]
    with ragvigil.pipeline("ask") as answer:
        answer.set(citations=cited)
        cited.append("b")
    assert exported().one("ask").attributes[names.CITATIONS] == '[{"doc_id":"a","rank":1}]'


@pytest.mark.parametrize("citations", ["abc", 5, iter(["a"])], ids=["text", "number", "iterator"])
def test_citations_that_are_no_list_cost_nothing_else(exported: Exported, lenient: None, citations: Any) -> None:
    with ragvigil.pipeline("ask") as answer:
        answer.set(question="kept", citations=citations)
    attributes = exported().one("ask").attributes
    assert attributes[names.INPUT_VALUE] == "kept"
    assert names.CITATIONS not in attributes


@pytest.mark.parametrize("confidence", [-0.1, 1.1, float("nan"), "high", True], ids=str)
def test_a_confidence_outside_0_to_1_is_left_out_and_counted(
    exported: Exported, lenient: None, confidence: float
) -> None:
    with ragvigil.pipeline("ask") as answer:
        answer.set(confidence=confidence)
    span = exported().one("ask")
    assert names.CONFIDENCE not in span.attributes
    assert span.dropped_attributes == 1


def test_slices_are_bounded(exported: Exported) -> None:
    with ragvigil.pipeline("ask") as answer:
        for number in range(1000):
            answer.slice(f"s{number}", "x")
    attributes = exported().one("ask").attributes
    assert sum(name.startswith(names.SLICE_PREFIX) for name in attributes) == 32


def test_without_configure_nothing_is_recorded_and_everything_works() -> None:
    @ragvigil.pipeline
    def ask(question: str) -> str:
        with ragvigil.stage("retrieve") as s:
            s.set(query=question)
            s.outputs(["a"], [1.0])
            s.vector([1.0])
            s.filter({"kind": "x"})
        ragvigil.current_answer().slice("team", "data")
        return ragvigil.current_answer().id

    assert ask("why?") == ""
    assert ragvigil.flush()
    assert ragvigil.counts() == ragvigil.Counts()


def test_the_kill_switch_switches_everything_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_SDK_DISABLED", "TRUE")
    exporter = InMemoryExporter()
    ragvigil.configure(service_name="shop", exporter=exporter)
    with ragvigil.pipeline("ask") as answer:
        assert not answer.is_recording()
        assert not answer.get_span_context().is_valid
    assert ragvigil.flush()
    assert exporter.spans == []


def test_current_objects_outside_an_answer_take_everything_and_keep_nothing(exported: Exported) -> None:
    ragvigil.current_answer().set(question="lost")
    ragvigil.current_stage().set(query="lost")
    ragvigil.current_stage().outputs(["a"])
    assert ragvigil.current_answer().id == ""
    assert "question" not in ragvigil.current_answer().fields
    assert exported().spans == []
