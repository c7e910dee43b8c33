"""The place of a span in its trace: parents, other instrumentation, propagation, threads, trace flags."""

import asyncio
import contextvars
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from opentelemetry import context, trace
from opentelemetry.propagate import extract, inject
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, ALWAYS_ON, ParentBased, Sampler

import ragvigil
from ragvigil import attributes as names
from ragvigil.testing import InMemoryExporter

Exported = Callable[[], InMemoryExporter]


class Sdk:
    """An SDK provider and what it exported."""

    def __init__(self, sampler: Sampler) -> None:
        self.finished = InMemorySpanExporter()
        self.provider = TracerProvider(sampler=sampler, shutdown_on_exit=False)
        self.provider.add_span_processor(SimpleSpanProcessor(self.finished))
        self.tracer = self.provider.get_tracer("app")

    def one(self, name: str) -> ReadableSpan:
        (span,) = [span for span in self.finished.get_finished_spans() if span.name == name]
        return span


@pytest.fixture
def sdk() -> Sdk:
    return Sdk(ParentBased(ALWAYS_ON))


def test_spans_are_spans_of_opentelemetry(exported: Exported) -> None:
    with ragvigil.pipeline("ask") as answer:
        assert isinstance(answer, trace.Span)
        assert trace.get_current_span() is answer
        with ragvigil.stage("embed") as stage:
            assert trace.get_current_span() is stage
        assert trace.get_current_span() is answer
    assert trace.get_current_span() is trace.INVALID_SPAN


def test_sdk_spans_nest_below_a_stage(
    exported: Exported, sdk: Sdk, set_global: Callable[[TracerProvider], TracerProvider]
) -> None:
    set_global(sdk.provider)
    with (
        ragvigil.pipeline("ask"),
        ragvigil.stage("generate"),
        sdk.tracer.start_as_current_span("POST /chat"),
    ):
        pass
    stage, child = exported().one("generate"), sdk.one("POST /chat")
    assert child.context is not None
    assert child.parent is not None
    assert f"{child.context.trace_id:032x}" == stage.trace_id
    assert f"{child.parent.span_id:016x}" == stage.span_id


def test_a_stage_below_an_sdk_span_finds_its_answer(exported: Exported) -> None:
    always = Sdk(ALWAYS_ON)
    with (
        ragvigil.pipeline("ask"),
        ragvigil.stage("retrieve"),
        always.tracer.start_as_current_span("between"),
        ragvigil.stage("rerank"),
    ):
        pass
    found = exported()
    between = always.one("between").get_span_context()
    assert between is not None
    assert found.one("rerank").parent_id == f"{between.span_id:016x}"
    assert found.one("rerank").attributes[names.ANSWER_SPAN_ID] == found.one("ask").span_id
    assert f"{always.one('between').parent.span_id:016x}" == found.one("retrieve").span_id  # type: ignore[union-attr]


def test_an_answer_below_a_web_framework_joins_its_trace(exported: Exported, sdk: Sdk) -> None:
    with sdk.tracer.start_as_current_span("GET /ask") as server, ragvigil.pipeline("ask") as answer:
        pass
    context = server.get_span_context()
    span = exported().one("ask")
    assert span.trace_id == f"{context.trace_id:032x}"
    assert span.parent_id == f"{context.span_id:016x}"
    assert answer.get_span_context().trace_flags.sampled


def test_a_stage_without_an_answer_is_recorded_alone(exported: Exported) -> None:
    with ragvigil.stage("embed"):
        pass
    span = exported().one("embed")
    assert span.parent_id == ""
    assert names.ANSWER_SPAN_ID not in span.attributes


def test_w3c_context_goes_out_with_calls(exported: Exported) -> None:
    carrier: dict[str, str] = {}
    with ragvigil.pipeline("ask"), ragvigil.stage("retrieve"):
        inject(carrier)
    span = exported().one("retrieve")
    assert carrier["traceparent"] == f"00-{span.trace_id}-{span.span_id}-00"


@pytest.mark.parametrize("flag", ["00", "01"], ids=["not sampled", "sampled"])
def test_the_flag_of_an_incoming_parent_is_kept_and_all_is_recorded(exported: Exported, flag: str) -> None:
    incoming = {"traceparent": f"00-{'a' * 32}-{'b' * 16}-{flag}", "tracestate": "vendor=1"}
    outgoing: dict[str, str] = {}

    def serve() -> None:
        token = context.attach(extract(incoming))
        with ragvigil.pipeline("ask"), ragvigil.stage("retrieve"):
            inject(outgoing)
        context.detach(token)

    contextvars.copy_context().run(serve)
    span = exported().one("ask")
    assert (span.trace_id, span.parent_id) == ("a" * 32, "b" * 16)
    assert outgoing["traceparent"].endswith(f"-{flag}")
    assert outgoing["tracestate"] == "vendor=1"
    assert span.flags == int(flag) | 0x300


@pytest.mark.parametrize(("sampler", "sampled"), [(ALWAYS_ON, True), (ALWAYS_OFF, False)], ids=["on", "off"])
def test_a_new_trace_asks_the_global_sampler(
    exported: Exported, set_global: Callable[[TracerProvider], TracerProvider], sampler: Sampler, sampled: bool
) -> None:
    application = Sdk(ParentBased(sampler))
    set_global(application.provider)
    with ragvigil.pipeline("ask") as answer, application.tracer.start_as_current_span("child"):
        assert answer.get_span_context().trace_flags.sampled is sampled
    assert exported().one("ask").trace_id == answer.trace_id
    finished = [span.name for span in application.finished.get_finished_spans()]
    assert finished == (["child", "ask"] if sampled else [])


def test_without_an_sdk_the_flag_is_0(exported: Exported) -> None:
    with ragvigil.pipeline("ask") as answer:
        assert answer.get_span_context().trace_flags == 0


def test_a_sampler_that_fails_samples_nothing(
    exported: Exported, lenient: None, set_global: Callable[[TracerProvider], TracerProvider]
) -> None:
    application = Sdk(ALWAYS_ON)
    application.provider.sampler = "not a sampler"  # type: ignore[assignment]
    set_global(application.provider)
    with ragvigil.pipeline("ask") as answer:
        assert answer.get_span_context().trace_flags == 0
    assert exported().one("ask").name == "ask"


async def test_a_task_that_is_cancelled_ends_its_stage_and_the_others_go_on(exported: Exported) -> None:
    async def search(name: str, delay_s: float) -> str:
        async with ragvigil.stage(name):
            await asyncio.sleep(delay_s)
            return name

    async with ragvigil.pipeline("ask"):
        slow = asyncio.create_task(search("slow", 60))
        quick = [search("quick 1", 0), search("quick 2", 0.01)]
        assert await asyncio.gather(*quick) == ["quick 1", "quick 2"]
        slow.cancel()
        gathered = await asyncio.gather(slow, return_exceptions=True)
    assert isinstance(gathered[0], asyncio.CancelledError)
    found = exported()
    assert [event.name for event in found.one("slow").events] == ["exception"]
    assert {found.one(name).status for name in ("slow", "quick 1", "ask")} == {"unset"}
    assert {span.parent_id for span in found.spans if span.name != "ask"} == {found.one("ask").span_id}


async def test_context_follows_tasks_and_threads_of_asyncio(exported: Exported) -> None:
    def in_thread(name: str) -> None:
        with ragvigil.stage(name):
            pass

    async def in_task(name: str) -> None:
        async with ragvigil.stage(name):
            await asyncio.sleep(0)

    async with ragvigil.pipeline("ask"):
        await asyncio.gather(in_task("gathered 1"), in_task("gathered 2"))
        await asyncio.create_task(in_task("task"))
        await asyncio.to_thread(in_thread, "to_thread")
    found = exported()
    ask = found.one("ask")
    assert {span.parent_id for span in found.spans if span is not ask} == {ask.span_id}
    assert len(found.spans) == 5


def test_a_carried_function_keeps_its_place_in_any_thread(exported: Exported) -> None:
    started = threading.Barrier(4, timeout=10)

    @ragvigil.carry
    def outside(name: str) -> str:
        with ragvigil.stage(name):
            return ragvigil.current_answer().id

    def work(name: str, *, twice: bool = False) -> str:
        """Work."""
        started.wait()
        with ragvigil.stage(name):
            return ragvigil.current_answer().id * (2 if twice else 1)

    with ThreadPoolExecutor(4) as pool, ragvigil.pipeline("ask") as answer, ragvigil.stage("retrieve"):
        carried = ragvigil.carry(work)
        assert list(pool.map(carried, ["a", "b", "c", "d"])) == [answer.id] * 4
        assert outside("outside") == ""
        started = threading.Barrier(1)
        assert pool.submit(carried, "late", twice=True).result() == answer.id * 2
        thread = threading.Thread(target=carried, args=["thread"])
        thread.start()
        thread.join()
    found = exported()
    retrieval = found.one("retrieve").span_id
    assert [found.one(name).parent_id for name in ("a", "b", "c", "d", "late", "thread")] == [retrieval] * 6
    assert found.one("outside").parent_id == ""
    assert (carried.__name__, carried.__doc__) == ("work", "Work.")


def test_a_carried_function_may_be_called_after_the_answer_and_raises_what_it_raises(exported: Exported) -> None:
    def work() -> None:
        with ragvigil.stage("late"):
            raise KeyError("lost")

    with ragvigil.pipeline("ask"):
        carried = ragvigil.carry(work)
    with ThreadPoolExecutor(1) as pool, pytest.raises(KeyError, match="lost"):
        pool.submit(carried).result()
    found = exported()
    assert found.one("late").attributes[names.ANSWER_SPAN_ID] == found.one("ask").span_id


def test_a_thread_pool_needs_a_copy_of_the_context(exported: Exported) -> None:
    def work(name: str) -> None:
        with ragvigil.stage(name):
            pass

    with ThreadPoolExecutor(2) as pool, ragvigil.pipeline("ask"):
        pool.submit(work, "lost").result()
        pool.submit(contextvars.copy_context().run, work, "kept").result()
    found = exported()
    assert found.one("lost").parent_id == ""
    assert found.one("kept").parent_id == found.one("ask").span_id


def test_a_stage_that_outlives_its_answer_is_exported_once(exported: Exported) -> None:
    with ragvigil.pipeline("ask"):
        late = ragvigil.stage("postprocess")
        contextvars.copy_context().run(late.__enter__)
    assert [span.name for span in exported().spans] == ["ask"]
    late.end()
    found = exported()
    assert [span.name for span in found.spans] == ["ask", "postprocess"]
    assert found.one("postprocess").attributes[names.ANSWER_SPAN_ID] == found.one("ask").span_id
    assert ragvigil.counts() == ragvigil.Counts(started=2, exported=2)


def test_many_threads_share_one_answer_and_lose_nothing(exported: Exported) -> None:
    def work(context: contextvars.Context, end: threading.Event) -> None:
        def stages() -> None:
            for _ in range(200):
                with ragvigil.stage("retrieve"):
                    pass
            end.wait(10)
            for _ in range(50):
                with ragvigil.stage("late"):
                    pass

        context.run(stages)

    with ragvigil.pipeline("ask"):
        end = threading.Event()
        threads = [threading.Thread(target=work, args=(contextvars.copy_context(), end)) for _ in range(4)]
        for thread in threads:
            thread.start()
        end.set()
    for thread in threads:
        thread.join()
    found = exported()
    assert len({span.span_id for span in found.spans}) == len(found.spans) == 1 + 4 * 250
    assert ragvigil.counts() == ragvigil.Counts(started=1001, exported=1001)


def test_an_answer_with_very_many_stages_is_exported_whole(exported: Exported) -> None:
    with ragvigil.pipeline("ask"):
        for _ in range(1_400):
            with ragvigil.stage("retrieve"):
                pass
    counts = ragvigil.counts()
    assert len(exported().named("retrieve")) + counts.dropped == 1_400
    assert len({span.span_id for span in exported().spans}) == len(exported().spans)
