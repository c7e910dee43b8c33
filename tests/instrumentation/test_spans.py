"""The rest of OpenTelemetry's span: time, status, events, links, attributes of other code."""

from collections.abc import Callable

import pytest
from opentelemetry.trace import Link, SpanContext, Status, StatusCode, TraceFlags

import ragvigil
from ragvigil import attributes as names
from ragvigil.rare import MAX_ATTRIBUTES, MAX_EVENTS, MAX_LINKS
from ragvigil.testing import InMemoryExporter, ManualClock

Exported = Callable[[], InMemoryExporter]
START_NS = 1_700_000_000_000_000_000
OTHER = SpanContext(trace_id=5, span_id=6, is_remote=True, trace_flags=TraceFlags(1))


@pytest.mark.parametrize("jump_s", [-3600.0, 3600.0], ids=["back", "forth"])
def test_a_wall_clock_that_jumps_changes_no_duration(exported: Exported, clock: ManualClock, jump_s: float) -> None:
    with ragvigil.pipeline("ask"):
        with ragvigil.stage("retrieve"):
            clock.advance(0.5)
            clock.set_wall_ns(clock.wall_ns() + round(jump_s * 1e9))
        with ragvigil.stage("generate"):
            clock.advance(1.0)
    found = exported()
    assert [span.duration_s for span in found.spans] == [0.5, 1.0, 1.5]
    assert found.one("ask").start_ns == START_NS
    assert found.one("generate").start_ns == START_NS + 500_000_000


def test_the_next_trace_takes_the_wall_clock_as_it_is(exported: Exported, clock: ManualClock) -> None:
    with ragvigil.pipeline("before"):
        clock.set_wall_ns(START_NS + 10**15)
    with ragvigil.pipeline("after"):
        pass
    assert exported().one("after").start_ns == START_NS + 10**15


def test_an_end_before_the_start_is_no_negative_duration(exported: Exported) -> None:
    with ragvigil.stage("retrieve") as span:
        span.end(end_time=START_NS - 1)
    assert exported().one("retrieve").duration_s == 0


def test_only_the_first_end_counts(exported: Exported, clock: ManualClock) -> None:
    with ragvigil.stage("retrieve") as span:
        span.end(end_time=START_NS + 250_000_000)
        assert not span.is_recording()
        clock.advance(5)
    assert exported().one("retrieve").duration_s == 0.25


def test_a_span_is_used_once(exported: Exported) -> None:
    span = ragvigil.stage("retrieve")
    for _ in range(2):
        with span:
            pass
    assert len(exported().spans) == 1
    assert ragvigil.counts().started == 1


def test_status_ok_is_final(exported: Exported) -> None:
    @ragvigil.stage("retrieve")
    def search() -> None:
        ragvigil.current_stage().set_status(Status(StatusCode.OK))
        raise KeyError("x")

    with pytest.raises(KeyError):
        search()
    found = exported().one("retrieve")
    assert (found.status, found.status_message) == ("ok", "")
    assert found.events[0].name == "exception"


def test_a_status_of_ones_own(exported: Exported) -> None:
    with ragvigil.stage("retrieve") as span:
        span.set_status(StatusCode.ERROR, "half of the shards answered")
        span.set_status(StatusCode.UNSET)
    found = exported().one("retrieve")
    assert (found.status, found.status_message) == ("error", "half of the shards answered")


def test_events_and_exceptions(exported: Exported, clock: ManualClock) -> None:
    with ragvigil.stage("retrieve") as span:
        clock.advance(1)
        span.add_event("retried", {"attempt": 2, "nonsense": object()})  # type: ignore[dict-item]
        span.add_event("earlier", timestamp=START_NS + 1)
        span.record_exception(ValueError("handled"), {"app.shard": 3})
    retried, earlier, handled = exported().one("retrieve").events
    assert (retried.name, retried.time_ns, retried.attributes) == ("retried", START_NS + 10**9, {"attempt": 2})
    assert earlier.time_ns == START_NS + 1
    assert handled.attributes[names.EXCEPTION_MESSAGE] == "handled"
    assert handled.attributes["app.shard"] == 3
    assert exported().one("retrieve").status == "unset"


def test_links(exported: Exported) -> None:
    with ragvigil.stage("retrieve") as span:
        span.add_link(OTHER, {"why": "cached"})
        span.add_link(SpanContext(0, 0, False))
    assert exported().one("retrieve").links == [(f"{5:032x}", f"{6:016x}")]
    assert Link(OTHER).context == OTHER


def test_attributes_of_other_code_come_first(exported: Exported) -> None:
    with ragvigil.stage("retrieve") as span:
        span.set(query="q")
        span.set_attributes({"app.shard": 3, "app.ok": True, "app.parts": ["a", "b"], "app.big": 2**70})
    attributes = exported().one("retrieve").attributes
    assert list(attributes)[:4] == ["app.shard", "app.ok", "app.parts", "app.big"]
    assert attributes["app.parts"] == ["a", "b"]
    assert attributes["app.big"] == str(2**70)


def test_what_other_code_adds_is_bounded_and_counted(exported: Exported) -> None:
    with ragvigil.stage("retrieve") as span:
        for number in range(MAX_ATTRIBUTES + 5):
            span.set_attribute(f"app.{number}", number)
        span.set_attribute("app.0", "replaced")
        span.set_attribute("app.object", object())  # type: ignore[arg-type]  # counted too
        for number in range(MAX_EVENTS + 5):
            span.add_event(f"event {number}")
        for _ in range(MAX_LINKS + 5):
            span.add_link(OTHER)
    found = exported().one("retrieve")
    assert sum(name.startswith("app.") for name in found.attributes) == MAX_ATTRIBUTES
    assert found.attributes["app.0"] == "replaced"
    assert found.dropped_attributes == 6
    assert (len(found.events), len(found.links)) == (MAX_EVENTS, MAX_LINKS)


def test_nothing_is_added_after_the_end(exported: Exported) -> None:
    with ragvigil.stage("retrieve") as span:
        pass
    span.set_attribute("app.late", 1)
    span.add_event("late")
    span.add_link(OTHER)
    span.set_status(StatusCode.ERROR)
    span.set(query="late")
    span.cache("retrieval", hit=True)
    span.first_token()
    found = exported().one("retrieve")
    assert (found.events, found.links, found.status) == ([], [], "unset")
    assert {"app.late", names.RETRIEVAL_QUERY_TEXT, names.CACHE_RETRIEVAL_HIT} & set(found.attributes) == set()


def test_a_name_can_change(exported: Exported) -> None:
    with ragvigil.stage("retrieve") as span:
        span.update_name("rerank")
    assert exported().one("rerank").attributes[names.SPAN_KIND] == "RERANKER"


@pytest.mark.parametrize("which", ["embedding", "retrieval", "answer"])
def test_cache_hits(exported: Exported, which: str) -> None:
    with ragvigil.stage("embed") as span:
        span.cache(which, hit=True)  # type: ignore[arg-type]  # one of the three
    assert exported().one("embed").attributes[f"ragvigil.cache.{which}.hit"] is True


def test_only_the_first_token_counts(exported: Exported, clock: ManualClock) -> None:
    with ragvigil.stage("generate") as span:
        clock.advance(0.5)
        span.first_token()
        clock.advance(0.5)
        span.first_token()
    assert exported().one("generate").attributes[names.TIME_TO_FIRST_CHUNK] == 0.5
