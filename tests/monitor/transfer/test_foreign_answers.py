"""Answers of applications that another library instruments, exported as OTLP and received again."""

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from io import BytesIO
from typing import Any

import httpx
import pytest
from tests.samples.filled_stores import dump
from tests.samples.foreign.recordings import NAMES, after, recorded
from tests.samples.fresh_stores import fresh_store
from tests.samples.otlp import NOW, PROTOBUF, span, traces
from tests.samples.servers import running_api, running_service

from ragvigil import attributes as names
from ragvigil_monitor.conventions import provenance
from ragvigil_monitor.keys import Keys
from ragvigil_monitor.receiver.bodies import JSON
from ragvigil_monitor.receiver.decoding import decode_traces
from ragvigil_monitor.receiver.files.found import Found
from ragvigil_monitor.receiver.files.lines import lines
from ragvigil_monitor.receiver.times import microseconds
from ragvigil_monitor.receiver.writing import write
from ragvigil_monitor.schedule import run_due
from ragvigil_monitor.store import Store
from ragvigil_monitor.store.movable import BY_NAME
from ragvigil_monitor.transfer.otlp_lines import trace_lines

DAY = timedelta(days=1)


@pytest.fixture
def another() -> Iterator[Store]:
    store = fresh_store()
    yield store
    store.close()


def sent(store: Store, recording: str) -> bytes:
    """What an export says of a recording that was received and settled."""
    requests = recorded(recording)
    now = after(requests)
    with running_service(store, Keys.generate(), lambda: now) as service, running_api(service) as url:
        for request in requests:
            httpx.post(url + request.path, content=request.body, headers=PROTOBUF, trust_env=False).raise_for_status()
        run_due(service, now)
    return b"".join(trace_lines(store, now - DAY, now + DAY))


def receive(store: Store, body: bytes, recording: str) -> None:
    take_in(store, body, after(recorded(recording)))


def take_in(store: Store, body: bytes, now: datetime) -> None:
    for found in lines(BytesIO(body), 0, 1 << 25, is_whole=True):
        assert isinstance(found, Found)
        with store.transaction() as writer:
            write(writer, decode_traces(found.body, microseconds(now), content_type=JSON), now)


def texts(store: Store) -> list[tuple[Any, Any]]:
    return [(row["question"], row["answer"]) for row in dump(store, BY_NAME["answers"])]


def values_sent(store: Store) -> list[tuple[Any, Any]]:
    found = [json.loads(row["attributes"] or "{}") for row in dump(store, BY_NAME["spans"])]
    return [(each.get(names.INPUT_VALUE), each.get(names.OUTPUT_VALUE)) for each in found]


@pytest.mark.parametrize(
    "recording",
    ["openinference_openai", "openinference_llamaindex", "openinference_langchain", "openllmetry_langchain"],
)
def test_questions_answers_and_what_they_were_read_from_come_back(
    memory_store: Store, another: Store, recording: str
) -> None:
    receive(another, sent(memory_store, recording), recording)
    assert any(question for question, _ in texts(memory_store))
    assert texts(another) == texts(memory_store)
    assert values_sent(another) == values_sent(memory_store)


@pytest.mark.parametrize("recording", NAMES)
def test_sessions_usage_and_what_repeats_come_back_and_are_not_settled_otherwise(
    memory_store: Store, another: Store, recording: str
) -> None:
    receive(another, sent(memory_store, recording), recording)
    settle(another, after(recorded(recording)))
    for name in ("answers", "spans", "query_vectors"):
        assert comparable(another, name) == comparable(memory_store, name), name


def test_a_recording_tells_of_sessions_repeated_usage_and_calls_of_other_traces(memory_store: Store) -> None:
    body = sent(memory_store, "openinference_langchain_openai").decode()
    for attribute in (provenance.ANSWER_SESSION, provenance.REPEATED_USAGE, provenance.NO_STAGE):
        assert attribute in body


def comparable(store: Store, table: str) -> list[dict[str, Any]]:
    """The rows, without what is lost below the microsecond."""
    found = [dict(row) for row in dump(store, BY_NAME[table])]
    for row in found:
        if row.get("attributes") is not None:
            row["attributes"] = json.loads(row["attributes"])
        if row.get("time_to_first_token_ms") is not None:
            row["time_to_first_token_ms"] = pytest.approx(row["time_to_first_token_ms"])
    return found


def settle(store: Store, now: datetime) -> None:
    with running_service(store, Keys.generate(), lambda: now) as service:
        run_due(service, now)


@pytest.mark.parametrize(
    "said",
    [
        {names.SESSION_ID: "a"},
        {names.CONVERSATION_ID: "a"},
        {names.SESSION_ID: "a", names.CONVERSATION_ID: "a"},
        {names.SESSION_ID: "a", names.CONVERSATION_ID: "b"},
        {names.SESSION_ID: 5, names.CONVERSATION_ID: "b"},
        {names.SESSION_ID: "a", names.CONVERSATION_ID: 5},
        {names.ENDUSER_PSEUDO_ID: "a", names.USER_ID: "b"},
        {names.ENDUSER_PSEUDO_ID: ["a"], names.USER_ID: "b"},
        {provenance.ANSWER_SESSION: "x", names.SESSION_ID: "a", provenance.ANSWER_USER: "", names.USER_ID: "u"},
        {provenance.ANSWER_SESSION: {"a": 1}, names.SESSION_ID: "a", provenance.NO_STAGE: "yes"},
    ],
    ids=str,
)
def test_whatever_an_answer_says_of_its_session_comes_back(
    memory_store: Store, another: Store, said: dict[str, object]
) -> None:
    sent_span = span(1, {names.ANSWER_ID: "answer", names.SPAN_KIND: "CHAIN", **said})
    with memory_store.transaction() as writer:
        write(writer, decode_traces(traces(sent_span).SerializeToString(), microseconds(NOW)), NOW)
    take_in(another, b"".join(trace_lines(memory_store, NOW - DAY, NOW + DAY)), NOW)
    for name in ("answers", "spans"):
        assert comparable(another, name) == comparable(memory_store, name)
