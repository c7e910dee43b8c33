"""Finished spans reach the application's span processors, and whatever those do hurts nobody."""

import io
import threading
import warnings
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from opentelemetry.context import get_current
from opentelemetry.propagate import inject
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, ALWAYS_ON, ParentBased, Sampler
from opentelemetry.trace import TraceFlags
from tests.samples.refusing import Refusing

import ragvigil
from ragvigil import BridgeCounts, current
from ragvigil import attributes as names
from ragvigil.bridge.bridge import Bridge
from ragvigil.counts import Counters
from ragvigil.encoding.spans import SpanEncoder
from ragvigil.testing import InMemoryExporter, Receiver

SetGlobal = Callable[[TracerProvider], TracerProvider]
Exported = Callable[[], InMemoryExporter]
WaitFor = Callable[[Callable[[], object]], None]


class Kept(SpanProcessor):
    """Keeps the spans that end, and the threads that they come from."""

    def __init__(self) -> None:
        self.spans: list[ReadableSpan] = []
        self.threads: set[str] = set()

    def on_end(self, span: ReadableSpan) -> None:
        self.spans.append(span)
        self.threads.add(threading.current_thread().name)

    def names(self) -> list[str]:
        return [span.name for span in self.spans]


class Held(Kept):
    """Takes no span before it is released."""

    def __init__(self) -> None:
        super().__init__()
        self.released = threading.Event()

    def on_end(self, span: ReadableSpan) -> None:
        self.released.wait(10)
        super().on_end(span)


class Failing(SpanProcessor):
    def on_end(self, span: ReadableSpan) -> None:
        if span.name == "embed":
            raise KeyError(span.name)


def provider_of(
    processor: SpanProcessor, sampler: Sampler | None = None, resource: dict[str, Any] | None = None
) -> TracerProvider:
    made = TracerProvider(sampler or ParentBased(ALWAYS_ON), Resource(resource or {}), shutdown_on_exit=False)
    made.add_span_processor(processor)
    return made


def ask() -> None:
    with ragvigil.pipeline("ask"), ragvigil.stage("embed"):
        pass


def test_processors_get_what_ended_in_the_order_of_ending_and_off_the_request_thread(
    exported: Exported, set_global: SetGlobal
) -> None:
    kept = Kept()
    set_global(provider_of(kept))
    ask()
    exported()
    assert kept.names() == ["embed", "ask"]
    assert kept.threads == {"ragvigil-bridge"}
    assert ragvigil.counts().bridge == BridgeCounts(given=2)


def test_spans_of_the_application_lie_below_ours_in_one_trace(exported: Exported, set_global: SetGlobal) -> None:
    kept = Kept()
    tracer = set_global(provider_of(kept)).get_tracer("app")
    with (
        tracer.start_as_current_span("GET /ask"),
        ragvigil.pipeline("ask"),
        ragvigil.stage("generate"),
        tracer.start_as_current_span("POST /chat"),
    ):
        pass
    exported()
    by_name = {span.name: span for span in kept.spans}
    parents = {name: span.parent.span_id if span.parent else None for name, span in by_name.items()}
    ids = {name: span.context.span_id for name, span in by_name.items() if span.context}
    assert parents == {
        "GET /ask": None,
        "ask": ids["GET /ask"],
        "generate": ids["ask"],
        "POST /chat": ids["generate"],
    }
    assert len({span.context.trace_id for span in kept.spans if span.context}) == 1
    assert by_name["ask"].instrumentation_scope is not None
    assert by_name["ask"].instrumentation_scope.name == "ragvigil"


def test_the_next_service_hears_of_the_stage_that_calls_it(
    exported: Exported, set_global: SetGlobal, receiver: Receiver
) -> None:
    kept = Kept()
    set_global(provider_of(kept))
    with ragvigil.pipeline("ask"), ragvigil.stage("retrieve"):
        headers: dict[str, str] = {}
        inject(headers)
        httpx.post(f"{receiver.endpoint}/search", headers=headers, content=b"")
    exported()
    context = kept.spans[0].context
    assert context is not None
    told = receiver.requests[0].headers["traceparent"]
    assert told == f"00-{context.trace_id:032x}-{context.span_id:016x}-01"


def test_only_sampled_spans_are_given(exported: Exported, set_global: SetGlobal) -> None:
    kept = Kept()
    set_global(provider_of(kept, ALWAYS_OFF))
    ask()
    assert len(exported().spans) == 2
    assert kept.names() == []
    assert ragvigil.counts().bridge == BridgeCounts()


def test_a_provider_may_come_after_configure(exported: Exported, set_global: SetGlobal) -> None:
    ask()
    kept = Kept()
    set_global(provider_of(kept))
    ask()
    exported()
    assert kept.names() == ["embed", "ask"]


def test_the_bridge_can_be_switched_off(set_global: SetGlobal) -> None:
    kept = Kept()
    set_global(provider_of(kept))
    ragvigil.configure(exporter=InMemoryExporter(), bridge=False)
    ask()
    assert ragvigil.flush()
    assert kept.names() == []
    assert ragvigil.counts() == ragvigil.Counts(started=2, exported=2)


@pytest.mark.parametrize("bridge", [None, 1, "yes"])
def test_a_switch_is_true_or_false(bridge: Any) -> None:
    with pytest.raises(ValueError, match=r"bridge: got .*; expected True or False"):
        ragvigil.configure(bridge=bridge)


@pytest.mark.parametrize(
    ("named", "expected"), [("shop", "shop"), (None, "theirs")], ids=["ours is named", "only theirs is named"]
)
def test_the_resource_is_ours_over_theirs(set_global: SetGlobal, named: str | None, expected: str) -> None:
    kept = Kept()
    set_global(provider_of(kept, resource={"service.name": "theirs", "host.name": "h-1"}))
    exporter = InMemoryExporter()
    ragvigil.configure(service_name=named, exporter=exporter)
    ask()
    assert ragvigil.flush()
    resource = dict(kept.spans[0].resource.attributes)
    ours = {**exporter.spans[0].resource, names.SERVICE_NAME: expected}
    assert {**ours, "host.name": "h-1"}.items() >= resource.items()
    assert {names.SERVICE_NAME, names.SERVICE_INSTANCE_ID, names.SCHEMA_VERSION, "host.name"} <= resource.keys()


def test_a_resource_that_changes_is_taken_over(exported: Exported, set_global: SetGlobal) -> None:
    """As the SDK changes it after fork."""
    kept = Kept()
    provider = set_global(provider_of(kept, resource={"host.name": "h-1"}))
    for host in ("h-1", "h-2"):
        provider._update_resource(Resource({"host.name": host}))
        ask()
        exported()
    assert [span.resource.attributes["host.name"] for span in kept.spans] == ["h-1", "h-1", "h-2", "h-2"]
    assert {span.resource.attributes[names.SERVICE_NAME] for span in kept.spans} == {"shop"}


def test_another_provider_is_another_target(exported: Exported, set_global: SetGlobal) -> None:
    first, second = Kept(), Kept()
    for kept in (first, second):
        set_global(provider_of(kept))
        ask()
        exported()
    assert first.names() == second.names() == ["embed", "ask"]


def test_the_warning_filters_of_the_application_stay(exported: Exported, set_global: SetGlobal) -> None:
    set_global(provider_of(Kept()))
    ask()
    exported()
    version = warnings.filters[:]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for _ in range(3):
            warnings.warn("shown once", UserWarning, stacklevel=1)
            ask()
            exported()
    assert [str(warning.message) for warning in caught] == ["shown once"]
    assert warnings.filters == version


def test_a_processor_that_fails_costs_its_span_and_nothing_else(
    exported: Exported, set_global: SetGlobal, caplog: pytest.LogCaptureFixture
) -> None:
    kept = Kept()
    provider = provider_of(Failing())
    provider.add_span_processor(kept)
    set_global(provider)
    for _ in range(3):
        ask()
    assert len(exported().spans) == 6
    assert kept.names() == ["ask"] * 3
    assert ragvigil.counts().bridge == BridgeCounts(given=3, failed=3)
    assert caplog.text.count("did not reach your span processors: KeyError") == 1


def test_a_processor_that_hangs_holds_up_neither_requests_nor_delivery(
    set_global: SetGlobal, wait_for: WaitFor
) -> None:
    held, exporter = Held(), InMemoryExporter()
    set_global(provider_of(held))
    ragvigil.configure(exporter=exporter, max_queue_traces=10)
    for _ in range(50):
        ask()
    wait_for(lambda: len(exporter.spans) >= 20)
    assert not ragvigil.flush(timeout_s=0.05)
    dropped = ragvigil.counts().bridge.dropped
    assert dropped >= 2 * (50 - 10 - 1)
    held.released.set()
    assert ragvigil.flush()
    counts = ragvigil.counts()
    assert counts.bridge.given == len(held.spans) == 100 - dropped
    assert counts.bridge.dropped == dropped


def test_the_bytes_that_wait_are_bounded(set_global: SetGlobal) -> None:
    held = Held()
    set_global(provider_of(held))
    ragvigil.configure(exporter=InMemoryExporter(), max_queue_bytes=50_000)
    for _ in range(100):
        with ragvigil.pipeline("ask") as answer:
            answer.set(question="x" * 10_000)
    assert ragvigil.counts().bridge.dropped >= 100 - 1 - 5
    held.released.set()
    assert ragvigil.flush()
    assert sum([ragvigil.counts().bridge.given, ragvigil.counts().bridge.dropped]) == 100


def test_a_trace_that_never_fits_displaces_no_other(set_global: SetGlobal) -> None:
    held = Held()
    set_global(provider_of(held))
    ragvigil.configure(exporter=InMemoryExporter(), max_queue_bytes=50_000)
    for length in (10, 10, 10, 60_000):
        with ragvigil.pipeline("ask") as answer:
            answer.set(question="x" * length)
    held.released.set()
    assert ragvigil.flush()
    assert (ragvigil.counts().bridge.given, ragvigil.counts().bridge.dropped) == (3, 1)


def test_a_receiver_that_is_down_does_not_hold_up_the_processors(set_global: SetGlobal, wait_for: WaitFor) -> None:
    kept = Kept()
    set_global(provider_of(kept))
    ragvigil.configure(endpoint="http://127.0.0.1:1", max_queue_traces=2, timeout_s=0.2)
    for number in range(1, 21):
        ask()
        wait_for(lambda so_far=number: len(kept.spans) == 2 * so_far)  # type: ignore[misc]
    assert ragvigil.counts().dropped > 0


def test_what_waits_at_shutdown_is_dropped_and_counted(set_global: SetGlobal) -> None:
    held = Held()
    set_global(provider_of(held))
    ragvigil.configure(exporter=InMemoryExporter())
    ask()
    ask()
    recorder = current.recorder
    assert recorder is not None
    assert not ragvigil.shutdown(timeout_s=0.05)
    assert recorder.counts().bridge.dropped >= 2
    held.released.set()


def test_a_span_that_ends_late_is_given_once(exported: Exported, set_global: SetGlobal) -> None:
    kept = Kept()
    set_global(provider_of(kept))
    with ragvigil.pipeline("ask") as answer:
        late = ragvigil.stage("late")
        late.start(get_current())
    late.end()
    assert answer.trace is not None
    answer.trace.recorder.hand_over([late, answer])
    exported()
    assert sorted(kept.names()) == ["ask", "late"]


def test_a_span_with_a_vector_can_be_printed(exported: Exported, set_global: SetGlobal) -> None:
    console = io.StringIO()
    set_global(provider_of(SimpleSpanProcessor(ConsoleSpanExporter(out=console))))
    with ragvigil.stage("embed") as s:
        s.vector([1.0])
    exported()
    assert f'"{names.QUERY_VECTOR}": "AACAPw=="' in console.getvalue()


def test_a_provider_that_is_no_sdk_is_left_alone(exported: Exported, set_global: SetGlobal) -> None:
    class Other:
        sampler = ALWAYS_ON

        def get_tracer(self, *_: object, **__: object) -> None:
            raise AssertionError("nobody asks")

    set_global(Other())  # type: ignore[arg-type]
    ask()
    assert len(exported().spans) == 2
    assert ragvigil.counts().bridge == BridgeCounts()


def test_a_provider_that_cannot_be_loaded_costs_nothing_else(
    exported: Exported, lenient: None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("OTEL_PYTHON_TRACER_PROVIDER", "no_such_provider")
    ask()
    assert len(exported().spans) == 2
    assert "Failed to load configured provider" in caplog.text


def test_what_became_of_spans_is_reported(exported: Exported, set_global: SetGlobal) -> None:
    set_global(provider_of(Failing()))
    ask()
    exported()
    counts = exported().logs[-1].attributes
    told = {key: n for key, n in counts.items() if key.startswith(names.BRIDGE_COUNT_PREFIX)}
    assert told == {"ragvigil.bridge.given": 1, "ragvigil.bridge.dropped": 0, "ragvigil.bridge.failed": 1}


def test_what_delivery_makes_of_a_span_meanwhile_does_not_show(set_global: SetGlobal, wait_for: WaitFor) -> None:
    """Delivery and the bridge each work on facts of their own: neither hashes what the other has hashed."""
    held, exporter = Held(), InMemoryExporter()
    set_global(provider_of(held))
    ragvigil.configure(exporter=exporter)
    ask()
    with ragvigil.pipeline("second") as answer:
        answer.set(question="as asked")
    wait_for(lambda: exporter.named("second"))
    answer.fields, answer.rare = {"question": "replaced"}, None
    held.released.set()
    assert ragvigil.flush()
    assert dict(held.spans[-1].attributes or {})[names.INPUT_VALUE] == "as asked"


def test_a_span_that_must_not_leave_does_not_leave(set_global: SetGlobal) -> None:
    kept, counters = Kept(), Counters()
    set_global(provider_of(kept))
    ragvigil.configure(exporter=InMemoryExporter(), bridge=False)
    bridge = Bridge(lambda span: span.name != "secret", SpanEncoder(b"k" * 16), {}, counters, 10, 1_000_000)
    with ragvigil.stage("secret") as secret, ragvigil.stage("open") as open_:
        for span in (secret, open_):
            span.trace_flags = TraceFlags(TraceFlags.SAMPLED)
    bridge.take([secret, open_])
    assert bridge.wait(5)
    bridge.stop(1.0)
    assert kept.names() == ["open"]
    assert counters.read().bridge == BridgeCounts(given=1, dropped=1)


class Exiting(Kept):
    """Ends the thread that calls it, with the first span."""

    def on_end(self, span: ReadableSpan) -> None:
        super().on_end(span)
        if len(self.spans) == 1:
            raise SystemExit


def test_a_processor_that_exits_does_not_end_the_thread(exported: Exported, set_global: SetGlobal) -> None:
    exiting = Exiting()
    set_global(provider_of(exiting))
    ask()
    ask()
    exported()
    assert exiting.names() == ["embed", "ask"] * 2
    assert ragvigil.counts().bridge == BridgeCounts(given=3, failed=1)


def test_the_thread_is_started_later_when_the_system_has_none_at_first(
    set_global: SetGlobal, no_threads: Refusing
) -> None:
    kept = Kept()
    set_global(provider_of(kept))
    ragvigil.configure(exporter=InMemoryExporter())
    ask()
    assert not ragvigil.flush(timeout_s=20)
    no_threads.is_over = True
    ask()
    assert ragvigil.flush()
    assert kept.names() == ["embed", "ask"] * 2


def test_a_span_that_ends_late_is_dropped_once(set_global: SetGlobal, no_threads: Refusing) -> None:
    set_global(provider_of(Kept()))
    ragvigil.configure(exporter=InMemoryExporter(), max_queue_traces=1)
    with ragvigil.pipeline("ask") as answer:
        late = ragvigil.stage("late")
        late.start(get_current())
    late.end()
    assert answer.trace is not None
    answer.trace.recorder.hand_over([late, answer])
    ask()
    assert ragvigil.counts().bridge == BridgeCounts(dropped=2)
