"""Answers and feedback, one at a time, as rows like those that the receiver writes."""

import json
from collections.abc import Callable
from datetime import datetime, timedelta

import pyarrow as pa
import pytest

from ragvigil_monitor.feedback import join_feedback
from ragvigil_monitor.job import Turn
from ragvigil_monitor.service import Service
from ragvigil_monitor.store import Store

Add = Callable[..., None]


@pytest.fixture
def add_answer(memory_store: Store, monday: datetime) -> Add:
    """Adds the answer `name` so many minutes after Monday; its ids follow from the name."""

    def add(
        name: str,
        after_min: float = 0.0,
        *,
        question: str | None = None,
        session: str | None = None,
        user: str | None = None,
        service: str = "shop",
        regeneration_of: str | None = None,
        refusal: bool | None = None,
        intent: str | None = None,
    ) -> None:
        row = {
            "trace_id": name.encode().ljust(16, b"t"),
            "span_id": name.encode().ljust(8, b"s"),
            "answer_id": name,
            "started_at": (monday + timedelta(minutes=after_min)).replace(tzinfo=None),
            "duration_ms": 5.0,
            "service": service,
            "status": "ok",
            "session_id": session,
            "user_id": user,
            "intent": intent,
            "question": question,
            "refusal": refusal,
            "regeneration_of": regeneration_of,
            "sampling_probability": 1.0,
        }
        with memory_store.transaction() as writer:
            writer.execute_with("insert_answers", pa.Table.from_pylist([row]))

    return add


@pytest.fixture
def add_feedback(memory_store: Store, monday: datetime) -> Add:
    """Adds feedback on `answer`, by trace and span id unless another way is asked for.

    after_min, call_min: client's time and time of the call, in minutes after Monday. Attributes are added as given.
    """
    given = 0

    def add(
        answer: str | None,
        kind: str | None = "regenerate",
        after_min: float = 1.0,
        *,
        call_min: float | None = None,
        feedback_id: str | None = None,
        **attributes: object,
    ) -> None:
        nonlocal given
        given += 1
        content = {f"ragvigil.feedback.{name}": value for name, value in attributes.items() if "." not in name}
        content |= {name: value for name, value in attributes.items() if "." in name}
        if kind is not None:
            content["ragvigil.feedback.kind"] = kind
        row = {
            "event_id": feedback_id or f"feedback {given}",
            "event_name": "ragvigil.feedback",
            "occurred_at": (monday + timedelta(minutes=after_min)).replace(tzinfo=None),
            "observed_at": (monday + timedelta(minutes=after_min if call_min is None else call_min)).replace(
                tzinfo=None
            ),
            "service": "shop",
            "trace_id": answer and answer.encode().ljust(16, b"t"),
            "span_id": answer and answer.encode().ljust(8, b"s"),
            "attributes": json.dumps(content),
        }
        with memory_store.transaction() as writer:
            writer.execute_with("insert_log_events", pa.Table.from_pylist([row]))

    return add


@pytest.fixture
def join(make_service: Callable[..., Service], monday: datetime) -> Callable[..., None]:
    """Runs the job so many minutes after Monday."""
    service = make_service()

    def run(after_min: float = 60.0) -> None:
        now = monday + timedelta(minutes=after_min)
        write = join_feedback(service, Turn(monday, [now], now))
        if write is not None:
            with service.store.transaction() as writer:
                write(writer)

    return run


@pytest.fixture
def joined(memory_store: Store) -> Callable[[], dict[str, str | None]]:
    """Which answer each feedback belongs to."""

    def read() -> dict[str, str | None]:
        found = (
            memory_store._cursor()
            .execute(
                "SELECT feedback_id, answer_id FROM feedback LEFT JOIN answers"
                " ON answers.trace_id = feedback.trace_id AND answers.span_id = feedback.answer_span_id"
            )
            .fetchall()
        )
        return dict(found)

    return read
