"""Generators: one span from the first step to the last, current inside and never in the consumer."""

import asyncio
import contextvars
import gc
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterator

import pytest
from opentelemetry import trace

import ragvigil
from ragvigil import attributes as names
from ragvigil.streams import MAX_TEXT
from ragvigil.testing import InMemoryExporter, ManualClock

Exported = Callable[[], InMemoryExporter]


def test_the_consumer_never_sees_the_answer(exported: Exported) -> None:
    @ragvigil.pipeline
    def ask(question: str) -> Iterator[str]:
        yield ragvigil.current_answer().id
        yield ragvigil.current_answer().id

    inside = []
    for answer_id in ask("why?"):
        inside.append(answer_id)
        assert ragvigil.current_answer().id == ""
        assert not trace.get_current_span().get_span_context().is_valid
    assert len(set(inside)) == 1
    assert inside[0]


async def test_the_consumer_of_an_async_generator_never_sees_the_answer(exported: Exported) -> None:
    @ragvigil.pipeline
    async def ask(question: str) -> AsyncIterator[str]:
        for _ in range(3):
            await asyncio.sleep(0)
            yield ragvigil.current_answer().id

    async for answer_id in ask("why?"):
        assert answer_id
        assert ragvigil.current_answer().id == ""


def test_a_stage_around_a_yield_stays_current_inside(exported: Exported) -> None:
    @ragvigil.pipeline
    def ask(question: str) -> Iterator[str]:
        with ragvigil.stage("generate") as generate:
            yield "a"
            assert ragvigil.current_stage() is generate
            with ragvigil.stage("postprocess"):
                yield "b"
            assert ragvigil.current_stage() is generate
        assert ragvigil.current_stage() is not generate

    assert list(ask("why?")) == ["a", "b"]
    found = exported()
    assert found.one("postprocess").parent_id == found.one("generate").span_id


async def test_a_stage_around_a_yield_stays_current_over_tasks(
    exported: Exported, caplog: pytest.LogCaptureFixture
) -> None:
    @ragvigil.pipeline
    async def ask(question: str) -> AsyncIterator[str]:
        async with ragvigil.stage("generate"):
            yield "a"
            with ragvigil.stage("postprocess"):
                yield "b"

    async def step(answers: AsyncIterator[str]) -> str:
        return await anext(answers, "end")

    answers = ask("why?")
    caplog.set_level(logging.DEBUG)
    assert [await asyncio.create_task(step(answers)) for _ in range(3)] == ["a", "b", "end"]
    found = exported()
    assert found.one("postprocess").parent_id == found.one("generate").span_id
    assert "detach" not in caplog.text


def test_the_first_item_is_the_first_token(exported: Exported, clock: ManualClock) -> None:
    @ragvigil.stage("generate")
    def generate() -> Iterator[str]:
        clock.advance(0.5)
        yield "a"
        clock.advance(2.0)
        yield "b"

    assert list(generate()) == ["a", "b"]
    span = exported().one("generate")
    assert span.attributes[names.TIME_TO_FIRST_CHUNK] == 0.5
    assert span.duration_s == 2.5


def test_a_generator_that_is_never_started_is_no_span(exported: Exported) -> None:
    @ragvigil.pipeline
    def ask(question: str) -> Iterator[str]:
        yield "a"

    ask("why?")
    assert exported().spans == []
    assert ragvigil.counts().started == 0


def test_an_abandoned_generator_ends_with_what_it_yielded(exported: Exported) -> None:
    closed = []

    @ragvigil.pipeline
    def ask(question: str) -> Iterator[str]:
        try:
            with ragvigil.stage("generate"):
                yield "a"
                yield "b"
        finally:
            closed.append(ragvigil.current_answer().id)

    answers = ask("why?")
    assert next(answers) == "a"
    del answers
    gc.collect()
    found = exported()
    assert found.one("ask").attributes[names.OUTPUT_VALUE] == "a"
    assert found.one("ask").status == "unset"
    assert found.one("ask").events == []
    assert closed == [found.one("ask").attributes[names.ANSWER_ID]]
    assert found.one("generate").parent_id == found.one("ask").span_id


async def test_an_abandoned_async_generator_ends_too(
    exported: Exported, wait_for: Callable[[Callable[[], object]], None]
) -> None:
    closed = asyncio.Event()

    @ragvigil.pipeline
    async def ask(question: str) -> AsyncIterator[str]:
        try:
            yield "a"
            yield "b"
        finally:
            closed.set()

    async for _ in ask("why?"):
        break
    gc.collect()
    await asyncio.wait_for(closed.wait(), 5)
    while ragvigil.counts().exported == 0:
        await asyncio.sleep(0.001)
        ragvigil.flush()
    assert exported().one("ask").attributes[names.OUTPUT_VALUE] == "a"


def test_values_sent_in_and_the_value_returned_pass_through(exported: Exported) -> None:
    @ragvigil.stage("chat")
    def chat() -> Generator[str, int, str]:
        total = 0
        while total < 10:
            total += yield f"total {total}"
        return f"done {total}"

    def driver() -> Generator[str, int, str]:
        return (yield from chat())

    running = driver()
    assert next(running) == "total 0"
    assert running.send(4) == "total 4"
    with pytest.raises(StopIteration) as stopped:
        running.send(7)
    assert stopped.value.value == "done 11"


def test_exceptions_thrown_in_reach_the_generator(exported: Exported) -> None:
    @ragvigil.stage("chat")
    def chat() -> Iterator[str]:
        try:
            yield "a"
        except KeyError:
            yield "caught"

    running = chat()
    next(running)
    assert isinstance(running, Generator)
    assert running.throw(KeyError("x")) == "caught"
    assert list(running) == []
    assert exported().one("chat").status == "unset"


async def test_an_async_generator_takes_values_and_exceptions(exported: Exported) -> None:
    @ragvigil.stage("chat")
    async def chat() -> AsyncGenerator[str, int]:
        sent = 0
        while True:
            try:
                sent = yield f"got {sent}"
            except KeyError:
                yield "caught"
                return

    running = chat()
    assert await anext(running) == "got 0"
    assert await running.asend(7) == "got 7"
    assert await running.athrow(KeyError("x")) == "caught"
    with pytest.raises(StopAsyncIteration):
        await anext(running)
    assert exported().one("chat").status == "unset"


@pytest.mark.parametrize("at", [0, 1], ids=["before the first item", "after it"])
def test_an_exception_in_a_generator_is_recorded_and_untouched(exported: Exported, at: int) -> None:
    failure = LookupError("gone")

    @ragvigil.pipeline
    def ask(question: str) -> Iterator[str]:
        for number in range(2):
            if number == at:
                raise failure
            yield "a"

    with pytest.raises(LookupError) as raised:
        list(ask("why?"))
    assert raised.value is failure
    assert exported().one("ask").status == "error"


async def test_an_exception_in_an_async_generator_is_recorded_and_untouched(exported: Exported) -> None:
    failure = LookupError("gone")

    @ragvigil.pipeline
    async def ask(question: str) -> AsyncIterator[str]:
        yield "a"
        raise failure

    with pytest.raises(LookupError) as raised:
        _ = [item async for item in ask("why?")]
    assert raised.value is failure
    assert exported().one("ask").status == "error"


async def test_a_cancelled_stream_ends_its_span(exported: Exported) -> None:
    started = asyncio.Event()

    @ragvigil.pipeline
    async def ask(question: str) -> AsyncIterator[str]:
        yield "a"
        with ragvigil.stage("generate"):
            started.set()
            await asyncio.Event().wait()

    async def consume() -> None:
        async for _ in ask("why?"):
            pass

    task = asyncio.create_task(consume())
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    found = exported()
    for name in ("ask", "generate"):
        assert found.one(name).status == "unset"
        assert found.one(name).events[0].attributes[names.EXCEPTION_TYPE] == "CancelledError"


async def test_timeouts_and_tasks_work_inside_an_async_generator(exported: Exported) -> None:
    @ragvigil.pipeline
    async def ask(question: str) -> AsyncIterator[str]:
        async with asyncio.timeout(5):
            first, second = await asyncio.gather(part("a"), part("b"))
        yield first + second

    async def part(name: str) -> str:
        async with ragvigil.stage(name):
            await asyncio.sleep(0)
        return name

    assert [item async for item in ask("why?")] == ["ab"]
    found = exported()
    assert {found.one(name).parent_id for name in "ab"} == {found.one("ask").span_id}


def test_two_streams_at_once_keep_apart(exported: Exported) -> None:
    @ragvigil.pipeline
    def ask(question: str) -> Iterator[str]:
        for _ in range(3):
            with ragvigil.stage("retrieve") as s:
                s.set(query=question)
            yield question

    assert list(zip(ask("a"), ask("b"), strict=True)) == [("a", "b")] * 3
    found = exported()
    by_answer = {span.span_id: span.attributes[names.INPUT_VALUE] for span in found.named("ask")}
    for span in found.named("retrieve"):
        assert by_answer[span.attributes[names.ANSWER_SPAN_ID]] == span.attributes[names.INPUT_VALUE]


def test_a_generator_may_be_finished_in_another_context(exported: Exported, caplog: pytest.LogCaptureFixture) -> None:
    def plain(question: str) -> Iterator[str]:
        with ragvigil.pipeline("ask"):
            yield question
            yield question

    running = plain("why?")
    contextvars.copy_context().run(next, running)
    assert contextvars.copy_context().run(list, running) == ["why?"]
    assert exported().one("ask").status == "unset"
    assert caplog.text == ""


def test_the_kept_text_of_a_stream_is_bounded(exported: Exported) -> None:
    @ragvigil.pipeline
    def ask(question: str) -> Iterator[str]:
        for _ in range(5):
            yield "x" * (MAX_TEXT // 2)

    assert sum(len(part) for part in ask("why?")) == 5 * MAX_TEXT // 2
    assert len(exported().one("ask").attributes[names.OUTPUT_VALUE]) == MAX_TEXT


def test_a_stream_of_other_things_than_text_passes(exported: Exported) -> None:
    @ragvigil.pipeline
    def ask(question: str) -> Iterator[int]:
        yield from range(3)

    assert list(ask("why?")) == [0, 1, 2]
    assert names.OUTPUT_VALUE not in exported().one("ask").attributes
