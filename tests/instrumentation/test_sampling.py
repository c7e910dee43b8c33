"""Sampling: decided before anything is made, consistently, and told."""

import asyncio
import contextvars
import random
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry import context as api
from opentelemetry import trace
from opentelemetry.propagate import extract, inject
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.sampling import ALWAYS_ON, ParentBased, Sampler, SamplingResult, TraceIdRatioBased

import ragvigil
from ragvigil import attributes as names
from ragvigil import relevance, where
from ragvigil import sampling as samples
from ragvigil.predicates import eq
from ragvigil.sampling import Share
from ragvigil.testing import InMemoryExporter

Configured = Callable[..., Callable[[], InMemoryExporter]]


class SeededIds:
    """Random ids that are the same in every run."""

    def __init__(self, seed: int = 7) -> None:
        self._random = random.Random(seed)

    def generate_trace_id(self) -> int:
        return self._random.getrandbits(128) or 1

    def generate_span_id(self) -> int:
        return self._random.getrandbits(64) or 1


@pytest.fixture
def sampling() -> Configured:
    """Ragvigil with a sample; call the result for what came out so far."""

    def configured(sample: Share, **arguments: Any) -> Callable[[], InMemoryExporter]:
        exporter = InMemoryExporter()
        ragvigil.configure(sample=sample, secret_key=b"k" * 16, ids=SeededIds(), exporter=exporter, **arguments)

        def flushed() -> InMemoryExporter:
            assert ragvigil.flush()
            return exporter

        return flushed

    return configured


read: list[object] = []
"""The filters that somebody has looked into."""


class Watched(dict[str, str]):
    """A filter that tells when it is read."""

    def items(self) -> Any:
        read.append(self)
        return super().items()


@ragvigil.retriever(filter="where")
def search(query: str, where: dict[str, str]) -> list[str]:
    return [query]


@ragvigil.pipeline
def plain(question: str) -> str:
    return search(question, Watched(kind="x"))[0]


@ragvigil.pipeline
def stream(question: str) -> Iterator[str]:
    with ragvigil.stage("generate") as s:
        yield from question
        assert s.is_left_out


@ragvigil.pipeline
async def coroutine(question: str) -> str:
    await asyncio.gather(*[asyncio.to_thread(search, question, Watched(kind="x")) for _ in range(3)])
    return question


@ragvigil.pipeline
async def async_stream(question: str) -> AsyncIterator[str]:
    for item in question:
        await asyncio.sleep(0)
        yield item


def ask(name: str = "ask") -> ragvigil.Answer:
    with ragvigil.pipeline(name) as answer, ragvigil.stage("embed"):
        answer.set(question="why?")
    return answer


def test_a_share_of_the_traces_is_recorded_whole_and_the_rest_not_at_all(sampling: Configured) -> None:
    exported = sampling(0.25)
    for _ in range(400):
        ask()
    spans = exported().spans
    answers = exported().named("ask")
    assert 70 < len(answers) < 130
    assert len(spans) == 2 * len(answers)
    counts = ragvigil.counts()
    assert (counts.started, counts.exported, counts.left_out) == (len(spans), len(spans), 400 - len(answers))
    assert {span.attributes[names.SAMPLING_PROBABILITY] for span in answers} == {0.25}
    assert not any(names.SAMPLING_PROBABILITY in span.attributes for span in exported().named("embed"))
    assert exported().logs[-1].attributes[names.TRACES_LEFT_OUT] == counts.left_out


@pytest.mark.parametrize("share", [1, 1.0])
def test_everything_is_recorded_by_default(sampling: Configured, share: float) -> None:
    exported = sampling(share)
    for _ in range(20):
        ask()
    assert len(exported().spans) == 40
    assert names.SAMPLING_PROBABILITY not in exported().spans[-1].attributes


def test_nothing_is_recorded_with_a_share_of_0(sampling: Configured) -> None:
    exported = sampling(0)
    for _ in range(20):
        ask()
    assert exported().spans == []
    assert (ragvigil.counts().started, ragvigil.counts().left_out) == (0, 20)


def test_a_function_decides_by_the_name_of_the_answer(sampling: Configured) -> None:
    asked: list[str] = []

    def share(name: str) -> float:
        asked.append(name)
        return {"checkout": 1.0, "chat": 0.5}.get(name, False)

    exported = sampling(share)
    for name in ["checkout", "chat", "health"] * 100:
        ask(name)
    assert asked == ["checkout", "chat", "health"] * 100
    assert len(exported().named("checkout")) == 100
    assert 30 < len(exported().named("chat")) < 70
    assert exported().named("health") == []
    assert names.SAMPLING_PROBABILITY not in exported().named("checkout")[0].attributes
    assert exported().named("chat")[0].attributes[names.SAMPLING_PROBABILITY] == 0.5


@pytest.mark.parametrize("given", [None, "half", float("nan"), -0.1, 2, 10**400, b"1"], ids=lambda v: repr(v)[:8])
def test_a_function_that_gives_no_share_has_everything_recorded(
    sampling: Configured, given: Any, caplog: pytest.LogCaptureFixture
) -> None:
    exported = sampling(lambda _: given)
    ask()
    ask()
    assert len(exported().spans) == 4
    assert not any(names.SAMPLING_PROBABILITY in span.attributes for span in exported().spans)
    assert caplog.text.count("configure(sample=...)") == 1


def test_a_function_that_fails_hurts_nobody(sampling: Configured, caplog: pytest.LogCaptureFixture) -> None:
    def share(name: str) -> float:
        raise KeyError(name)

    exported = sampling(share)
    ask()
    assert len(exported().spans) == 2
    assert "raised KeyError" in caplog.text


@pytest.mark.parametrize("sample", [-0.5, 1.5, float("nan"), None, "half", True])
def test_a_share_that_is_none_is_refused(sample: Any) -> None:
    with pytest.raises(ValueError, match=r"sample: got .*a number from 0 to 1, or a function"):
        ragvigil.configure(sample=sample)


def test_what_is_left_out_takes_everything_and_keeps_nothing(sampling: Configured) -> None:
    exported = sampling(0)
    with ragvigil.pipeline("ask") as answer:
        answer.set(question="why?", citations=["a"])
        answer.slice("team", "data")
        with ragvigil.stage("retrieve") as s:
            s.set(query="q")
            s.filter(where(relevance(eq("kind", "x"))))
            s.outputs(["a"], [0.5])
            s.vector([1.0])
            s.first_token()
            s.set_attribute("own", 1)
            s.add_event("e")
            assert ragvigil.current_stage().fields == {}
        assert ragvigil.current_answer() is answer
    for span in (answer, s):
        assert (span.fields, span.rare, span.trace, span.is_recording()) == ({}, None, None, False)
        assert not span.get_span_context().is_valid
    assert (answer.id, answer.trace_id, answer.token()) == ("", "", None)
    assert exported().spans == []
    assert ragvigil.counts().feedback.tokens_without_key == 0


def test_exceptions_pass_through_what_is_left_out(sampling: Configured) -> None:
    exported = sampling(0)
    with pytest.raises(KeyError, match="lost"), ragvigil.pipeline("ask"), ragvigil.stage("generate"):
        raise KeyError("lost")
    assert exported().spans == []


def test_decorated_functions_of_every_kind_are_left_out_and_work(sampling: Configured) -> None:
    async def collected() -> str:
        return await coroutine("abc") + "".join([item async for item in async_stream("abc")])

    exported = sampling(0)
    read.clear()
    assert plain("abc") + "".join(stream("abc")) + asyncio.run(collected()) == "abc" * 4
    assert exported().spans == []
    assert (ragvigil.counts().started, ragvigil.counts().left_out) == (0, 4)
    assert read == []


def test_the_filter_is_read_where_the_answer_is_recorded(sampling: Configured) -> None:
    sampling(1)
    read.clear()
    assert plain("abc") == "abc"
    assert read == [{"kind": "x"}]


def test_the_context_is_as_it_was_afterwards(sampling: Configured) -> None:
    sampling(0)
    before = api.get_current()
    ask()
    assert api.get_current() == before
    assert ragvigil.current_answer().trace is None


def test_an_answer_below_another_shares_its_fate_and_its_probability(sampling: Configured) -> None:
    exported = sampling(lambda name: {"outer": 0.5, "inner": 1.0}[name])
    for _ in range(100):
        with ragvigil.pipeline("outer"), ragvigil.stage("plan"), ragvigil.pipeline("inner"), ragvigil.stage("embed"):
            pass
    found = exported()
    assert 30 < len(found.named("outer")) == len(found.named("inner")) == len(found.named("embed")) < 70
    assert {span.attributes[names.SAMPLING_PROBABILITY] for span in found.named("inner")} == {0.5}


def test_answers_below_one_parent_of_the_application_share_its_fate(sampling: Configured) -> None:
    exported = sampling(0.5)
    tracer = TracerProvider(shutdown_on_exit=False).get_tracer("app")
    fates = set()
    for _ in range(60):
        with tracer.start_as_current_span("GET /ask"):
            fates.add((ask().trace is not None, ask().trace is not None))
    assert fates == {(True, True), (False, False)}
    assert len({span.trace_id for span in exported().named("ask")}) == len(exported().named("ask")) // 2


def test_a_stage_below_a_span_of_the_application_stays_with_its_answer(sampling: Configured) -> None:
    exported = sampling(0.5)
    tracer = TracerProvider(shutdown_on_exit=False).get_tracer("app")
    for _ in range(60):
        with ragvigil.pipeline("ask"), tracer.start_as_current_span("between"), ragvigil.stage("embed"):
            pass
    found = exported()
    assert [s.attributes[names.ANSWER_SPAN_ID] for s in found.named("embed")] == [s.span_id for s in found.named("ask")]
    assert 10 < len(found.named("ask")) < 50


def test_every_service_on_the_way_decides_the_same(sampling: Configured) -> None:
    """Two services, one after the other in one process: the second sees only the header of the first."""
    exported = sampling(0.5)
    for number in range(60):
        incoming = {"traceparent": f"00-{random.Random(number).getrandbits(128):032x}-{'b' * 16}-00"}

        def serve(incoming: dict[str, str] = incoming) -> bool:
            api.attach(extract(incoming))
            return ask().trace is not None

        first, second = [contextvars.copy_context().run(serve) for _ in range(2)]
        assert first == second
    assert 20 < len(exported().spans) < 220


def test_what_is_left_out_changes_nothing_for_other_instrumentation(sampling: Configured) -> None:
    sampling(0)
    tracer = TracerProvider(shutdown_on_exit=False).get_tracer("app")
    carrier: dict[str, str] = {}
    with tracer.start_as_current_span("GET /ask") as server, ragvigil.pipeline("ask"), ragvigil.stage("generate"):
        assert trace.get_current_span() is server
        inject(carrier)
    assert carrier["traceparent"].split("-")[2] == f"{server.get_span_context().span_id:016x}"
    with ragvigil.pipeline("ask"):
        assert trace.get_current_span() is trace.INVALID_SPAN


def test_with_the_same_share_the_sdk_keeps_the_same_traces(
    sampling: Configured, set_global: Callable[[TracerProvider], TracerProvider]
) -> None:
    exported = sampling(0.5)
    set_global(TracerProvider(ParentBased(TraceIdRatioBased(0.5)), shutdown_on_exit=False))
    for _ in range(60):
        answer = ask()
        assert answer.trace is None or answer.get_span_context().trace_flags.sampled
    assert 10 < len(exported().named("ask")) < 50


class CountingSampler(Sampler):
    """A sampler of the application that counts what it is asked, as one that limits a rate does."""

    def __init__(self) -> None:
        self.asked = 0

    def should_sample(self, *arguments: Any, **keywords: Any) -> SamplingResult:
        self.asked += 1
        return ALWAYS_ON.should_sample(*arguments, **keywords)

    def get_description(self) -> str:
        return "counts"


def test_the_sampler_of_the_application_is_not_asked_about_what_is_left_out(
    sampling: Configured, set_global: Callable[[TracerProvider], TracerProvider]
) -> None:
    sampler = CountingSampler()
    set_global(TracerProvider(sampler, shutdown_on_exit=False))
    sampling(0.5)
    for _ in range(60):
        ask()
    assert sampler.asked == 60 - ragvigil.counts().left_out
    assert 10 < sampler.asked < 50


def test_threads_that_carry_the_context_leave_out_the_same(sampling: Configured) -> None:
    exported = sampling(0)

    def work() -> bool:
        with ragvigil.stage("embed") as s:
            return s.is_left_out

    with ThreadPoolExecutor(2) as pool, ragvigil.pipeline("ask"):
        assert pool.submit(ragvigil.carry(work)).result()
    assert exported().spans == []
    assert ragvigil.counts().left_out == 1


def test_a_stage_that_ends_after_its_answer_is_not_asked_again(sampling: Configured) -> None:
    exported = sampling(0.5)
    for _ in range(60):
        with ragvigil.pipeline("ask"):
            inside = contextvars.copy_context()
        inside.run(ask, "late")
    found = exported()
    assert {span.trace_id for span in found.named("late")} == {span.trace_id for span in found.named("ask")}
    assert {span.attributes[names.SAMPLING_PROBABILITY] for span in found.named("late")} == {0.5}


def test_feedback_on_what_is_recorded_is_never_sampled(sampling: Configured) -> None:
    exported = sampling(0.1)
    answers = [ask() for _ in range(200)]
    recorded = [answer for answer in answers if answer.trace is not None]
    assert 5 < len(recorded) < 50
    assert all(ragvigil.feedback("thumbs_up", token=answer.token()) for answer in recorded)
    left_out = next(answer for answer in answers if answer.trace is None)
    assert not ragvigil.feedback("thumbs_up", answer=left_out)
    assert len([log for log in exported().logs if log.event_name == names.EVENT_FEEDBACK]) == len(recorded)
    assert ragvigil.counts().feedback.refused == 1


def test_only_what_is_recorded_is_probed_and_probes_are_not_sampled_again(sampling: Configured) -> None:
    exported = sampling(0.5, probe_share=1.0)

    @ragvigil.retriever(filter="where", top_k="k")
    def search(query: str, where: object, k: int = 2) -> list[str]:
        return [query] * k

    for _ in range(40):
        with ragvigil.pipeline("ask"):
            search("q", where(relevance(eq("kind", "x"))))
        assert ragvigil.flush()
    found = exported()
    answers = found.named("ask")
    probes = [span for span in found.spans if names.PROBE_KIND in span.attributes]
    assert 8 < len(answers) == len(probes) < 32
    assert {span.attributes[names.SAMPLING_PROBABILITY] for span in probes} == {0.5}


@given(st.integers(1, (1 << 128) - 1), st.floats(0, 1), st.floats(0, 1))
def test_a_larger_share_holds_all_that_a_smaller_one_holds(trace_number: int, one: float, other: float) -> None:
    small, large = sorted([one, other])
    if samples.Sampler(small).probability(trace_number, ""):
        assert samples.Sampler(large).probability(trace_number, "") == large


@given(st.integers(1, (1 << 128) - 1))
def test_the_ends_of_the_scale_are_exact(trace_number: int) -> None:
    assert samples.Sampler(1.0).probability(trace_number, "") == 1.0
    assert samples.Sampler(0.0).probability(trace_number, "") == 0.0
