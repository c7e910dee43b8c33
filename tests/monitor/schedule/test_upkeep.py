from collections.abc import Callable
from datetime import datetime, timedelta

import numpy as np
import pyarrow as pa
import pytest

from ragvigil_monitor.guardrails.registry import GUARDRAILS
from ragvigil_monitor.guardrails.waiting import first_look_at, waiting_sentences
from ragvigil_monitor.schedule import run_due
from ragvigil_monitor.service import Service
from ragvigil_monitor.store import Store

AddSpan = Callable[..., None]


@pytest.fixture
def service(make_service: Callable[..., Service]) -> Service:
    off = {"enabled": False}
    guardrails = {
        "latency_p95": {"slo_ms": {"rerank": 300}},
        **dict.fromkeys(["regeneration_rate", "query_drift", "false_exclusion", "faithfulness"], off),
    }
    return make_service(guardrails=guardrails)


@pytest.fixture
def add_span(memory_store: Store, monday: datetime) -> AddSpan:
    """Adds one span; ids are short names."""

    def add(
        span: str,
        parent: str | None,
        answer: str | None = None,
        *,
        trace: str = "t",
        after_h: float = 1.0,
        version: str | None = "1.0",
    ) -> None:
        row = {
            "trace_id": trace.encode(),
            "span_id": span.encode(),
            "parent_span_id": parent and parent.encode(),
            "answer_span_id": answer and answer.encode(),
            "started_at": (monday + timedelta(hours=after_h)).replace(tzinfo=None),
            "duration_ms": 1.0,
            "service": "shop",
            "service_version": version,
            "name": span,
            "status": "ok",
            "dropped_attributes": 0,
        }
        ids = {name: pa.binary() for name in row if name.endswith("_id")}
        table = pa.table({name: pa.array([value], ids.get(name)) for name, value in row.items()})
        with memory_store.transaction() as writer:
            writer.execute_with("insert_spans", table)

    return add


def answer_of(store: Store, span: str, trace: str = "t") -> bytes | None:
    ids = [trace.encode(), span.encode()]
    (row,) = (
        store._cursor().execute("SELECT answer_span_id FROM spans WHERE trace_id = ? AND span_id = ?", ids).fetchall()
    )
    found: bytes | None = row[0]
    return found


def run_after(service: Service, monday: datetime, after_h: float) -> None:
    run_due(service, monday + timedelta(hours=after_h))
    assert service.store.rows("job_problems_now") == []


def test_a_span_is_linked_to_the_answer_of_its_nearest_ancestor_that_has_one(
    service: Service, add_span: AddSpan, monday: datetime
) -> None:
    add_span("outer", None, "outer")
    add_span("inner", "outer", "inner")
    add_span("library", "inner")
    add_span("driver", "library")
    run_after(service, monday, 1.1)
    assert answer_of(service.store, "library") == b"inner"
    assert answer_of(service.store, "driver") == b"inner"


def test_what_comes_before_its_parent_is_linked_when_that_has_come(
    service: Service, add_span: AddSpan, monday: datetime
) -> None:
    add_span("driver", "stage")
    run_after(service, monday, 1.1)
    assert answer_of(service.store, "driver") is None
    add_span("stage", "answer", "answer")
    run_after(service, monday, 1.5)
    assert answer_of(service.store, "driver") == b"answer"


def test_a_span_id_in_another_trace_is_another_span(service: Service, add_span: AddSpan, monday: datetime) -> None:
    add_span("stage", "answer", "answer", trace="one")
    add_span("driver", "stage", trace="two")
    run_after(service, monday, 1.1)
    assert answer_of(service.store, "driver", "two") is None


def test_parents_in_a_circle_end(service: Service, add_span: AddSpan, monday: datetime) -> None:
    add_span("a", "b")
    add_span("b", "a")
    add_span("self", "self")
    run_after(service, monday, 1.1)
    assert {answer_of(service.store, span) for span in ("a", "b", "self")} == {None}


def test_what_is_linked_stays_as_it_was_sent(service: Service, add_span: AddSpan, monday: datetime) -> None:
    add_span("answer", None, "answer")
    add_span("stage", "answer", "another")
    run_after(service, monday, 1.1)
    assert answer_of(service.store, "stage") == b"another"


def test_a_guardrail_that_is_known_is_not_announced_again(
    service: Service, add_answers: Callable[..., None], monday: datetime
) -> None:
    run_after(service, monday, 1)
    run_after(service, monday, 2)
    states = service.store.rows("guardrail_states_now")
    assert {(row["state"], row["since"]) for row in states} == {("warming_up", monday + timedelta(hours=1))}
    add_answers(np.arange(2, 26, 0.01), stages={"rerank": 50.0})
    run_after(service, monday, 27)
    assert {row["state"] for row in service.store.rows("guardrail_states_now")} == {"ok"}


def test_between_the_first_answer_and_the_first_look_it_is_said_when_that_follows(
    make_service: Callable[..., Service], add_answers: Callable[..., None], monday: datetime
) -> None:
    service = make_service()
    run_after(service, monday, 1)
    assert all(said.startswith("No answer has arrived yet; ") for said in sentences(service))
    add_answers(np.arange(2, 2.1, 0.01))
    run_after(service, monday, 2.1)
    said = sentences(service)
    assert not any("No answer has arrived yet" in one for one in said)
    assert f"The first look follows at {monday:%Y-%m-%d} 02:17 UTC; p95 answer latency has the SLO" in " ".join(said)
    assert {row["since"] for row in service.store.rows("guardrail_states_now")} == {monday + timedelta(hours=1)}


def test_a_look_comes_when_it_was_said_to_come(
    make_service: Callable[..., Service], add_answers: Callable[..., None], monday: datetime
) -> None:
    service = make_service(schedule={"lateness_s": 120})
    add_answers(np.arange(2, 2.1, 0.01))
    first = monday + timedelta(hours=2)
    due_at = {guardrail.name: first_look_at(guardrail, service.settings, first) for guardrail in GUARDRAILS}
    for due in sorted(set(due_at.values())):
        for now, looked in ((due - timedelta(seconds=1), False), (due, True)):
            run_due(service, now)
            names = [name for name in due_at if due_at[name] == due]
            assert {bool(service.store.rows("watermark_of_job", job=name)) for name in names} == {looked}


def test_a_first_look_that_is_late_is_not_said_to_follow_in_the_past(
    make_service: Callable[..., Service], monday: datetime
) -> None:
    now = monday + timedelta(days=9)
    for guardrail in GUARDRAILS:
        for said in waiting_sentences(guardrail, make_service().settings, monday, now).values():
            assert f"{now:%Y-%m-%d %H:%M} UTC" in said


def sentences(service: Service) -> list[str]:
    return [row["sentence"] for row in service.store.rows("guardrail_states_now")]
