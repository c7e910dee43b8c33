"""What the on-call API and the doctor say of an application that something else instruments."""

from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest
from tests.samples.foreign.programs import QUESTION
from tests.samples.foreign.recordings import after, recorded
from tests.samples.otlp import PROTOBUF
from tests.samples.servers import running_api, running_service
from tests.samples.world import World

from ragvigil.doctor.telling import check_service
from ragvigil_monitor.keys import Keys, Role
from ragvigil_monitor.schedule import run_due
from ragvigil_monitor.store import Store


@contextmanager
def told(store: Store, name: str) -> Iterator[World]:
    """The on-call API five minutes after a recording was sent."""
    requests, keys = recorded(name), Keys.generate()
    now = after(requests)
    with running_service(store, keys, lambda: now) as service, running_api(service) as url:
        for request in requests:
            httpx.post(url + request.path, content=request.body, headers=PROTOBUF, trust_env=False).raise_for_status()
        run_due(service, now)
        headers = {"Authorization": f"Bearer {keys.by_role[Role.ONCALL]}"}
        with httpx.Client(base_url=f"{url}/api/v1", headers=headers, trust_env=False, timeout=30) as client:
            yield World(store, now, keys, client)


@pytest.fixture
def chroma(memory_store: Store) -> Iterator[World]:
    """LangChain over Chroma, instrumented by OpenLLMetry."""
    with told(memory_store, "openllmetry_langchain") as world:
        yield world


def test_an_answer_is_shown_with_its_stages_documents_and_filter(chroma: World) -> None:
    newest, _ = chroma.get("/answers")
    (answer,) = chroma.get(f"/answers/{newest['trace_id']}")
    assert (answer["question"], answer["session_id"]) == (QUESTION, "session-1")
    stages = {span["stage"]: span for span in answer["spans"] if span["stage"] is not None}
    assert sorted(stages) == ["embed", "generate", "retrieve"]
    assert [each["id"] for each in stages["retrieve"]["output_documents"]] == ["doc-2", "doc-3"]
    assert "lang" in str(stages["retrieve"]["filter_in_words"])
    assert stages["generate"]["input_tokens"] == 120
    assert len(answer["spans"]) == 11


def test_who_made_the_spans_and_what_they_leave_out_is_said(chroma: World) -> None:
    (row,) = chroma.get("/instrumentation")
    assert (row["answers"], row["retrievals"], row["filters_known"]) == (2, 2, 2)
    assert row["undeclared_fields"] == [{"field": "lang", "searches": 2}]
    libraries = {each["library"]: (each["version"], each["spans"]) for each in row["libraries"]}
    assert libraries["opentelemetry.instrumentation.chromadb"] == ("0.62.4", 2)
    details = [finding.detail for finding in check_service(row)]
    assert any("opentelemetry.instrumentation.langchain 0.62.4" in detail for detail in details)


def test_filters_that_nobody_told_are_unknown(memory_store: Store) -> None:
    with told(memory_store, "openinference_langchain") as world:
        (row,) = world.get("/instrumentation")
    assert (row["retrievals"], row["filters_unknown"], row["documents_without_id"]) == (2, 2, 0)
    assert [finding.verdict for finding in check_service(row)] == ["ok", "warning", "ok"]


def test_documents_without_id_are_counted_and_warned_of() -> None:
    row = {"service": "shop", "answers": 1, "retrievals": 1, "documents_without_id": 3, "libraries": [{"library": "x"}]}
    details = [finding.detail for finding in check_service(row)]
    assert "3 retrieved documents have no id" in details
    assert "spans made by x" in details


def test_a_search_whose_documents_merely_lack_ids_is_not_said_to_have_none() -> None:
    row = {"service": "shop", "answers": 1, "retrievals": 8, "retrievals_without_ids": 8, "documents_without_id": 16}
    details = [finding.detail for finding in check_service(row)]
    assert "16 retrieved documents have no id, and 8 of the searches found no others" in details
    assert not any("record no documents" in each or "with their filters and documents" in each for each in details)
