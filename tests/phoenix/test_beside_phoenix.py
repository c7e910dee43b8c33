"""What Ragvigil sends is in Phoenix as it should be; what it cannot send waits, and comes later.

The tests share one Phoenix, which takes half a minute to start; the last one restarts it.
"""

import os
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from tests.phoenix.process import PhoenixProcess
from tests.samples.chromium import chromium_path, new_page, running_browser
from tests.samples.otlp import PROTOBUF, RESOURCE, rag_trace, traces
from tests.samples.servers import wait_until

from ragvigil import attributes as names

pytestmark = [pytest.mark.phoenix, pytest.mark.timeout(900)]
STORED_WITHIN_S = 120


def ask(shop: httpx.Client, monitor: Any, question: str) -> dict[str, Any]:
    """Ask the shop; the answer as the monitor has it."""
    shop.get("/ask", params={"question": question}).raise_for_status()
    assert shop.post("/flush").json() == {"sent": True}
    return next(row for row in monitor.get("/answers") if row["question"] == question)


def await_spans(phoenix: PhoenixProcess, project: str, trace_id: str, spans: int) -> dict[str, dict[str, Any]]:
    """The spans of a trace by their kind, once so many are stored."""

    def found() -> list[dict[str, Any]]:
        return [span for span in phoenix.spans(project) if span["context"]["trace_id"] == trace_id]

    wait_until(lambda: len(found()) >= spans, STORED_WITHIN_S)
    return {span["span_kind"]: span for span in found()}


def test_an_instrumented_answer_is_in_phoenix(phoenix: PhoenixProcess, monitor: Any, shop: httpx.Client) -> None:
    answer = ask(shop, monitor, "dates")
    spans = await_spans(phoenix, "shop", answer["trace_id"], 4)
    assert set(spans) == {"CHAIN", "EMBEDDING", "RETRIEVER", "LLM"}
    assert spans["CHAIN"]["attributes"][names.INPUT_VALUE] == "dates"
    assert spans["RETRIEVER"]["parent_id"] == spans["CHAIN"]["context"]["span_id"] == answer["span_id"]
    documents = spans["RETRIEVER"]["attributes"]
    found = [(documents[f"{names.RETRIEVAL_DOCUMENTS}.{rank}.{names.DOCUMENT_ID}"]) for rank in range(3)]
    assert found == ["doc-0", "doc-1", "doc-2"]
    assert documents[f"{names.RETRIEVAL_DOCUMENTS}.1.{names.DOCUMENT_SCORE}"] == 0.9
    assert spans["LLM"]["attributes"][names.LLM_TOKENS_PROMPT] == 900
    assert monitor.get("/phoenix")["refused"] == monitor.get("/phoenix")["dropped"] == 0
    assert "acme" not in str(spans)


def test_a_trace_sent_twice_is_there_once(phoenix: PhoenixProcess, monitor: Any) -> None:
    now = datetime.now(UTC)
    twice, after = rag_trace(50, started_at=now), rag_trace(51, started_at=now)
    forwarded = monitor.get("/phoenix")["forwarded"]
    for spans in (twice, twice, after):
        send(monitor, spans, {**RESOURCE, names.PROJECT_NAME: "its own"})
    monitor.await_forwarded(forwarded + 18)
    await_spans(phoenix, "its own", after[0].trace_id.hex(), 6)
    assert len(phoenix.spans("its own")) == 12


def send(monitor: Any, spans: Any, resource: dict[str, object]) -> None:
    body = traces(*spans, resource=resource).SerializeToString()
    httpx.post(f"{monitor.serving.url}/v1/traces", content=body, headers=PROTOBUF).raise_for_status()


def test_the_link_of_a_trace_leads_to_it(phoenix: PhoenixProcess, monitor: Any, shop: httpx.Client) -> None:
    answer = ask(shop, monitor, "opening hours")
    await_spans(phoenix, "shop", answer["trace_id"], 4)
    path = chromium_path()
    if path is None:
        assert os.environ.get("RAGVIGIL_TESTS_REQUIRE_BROWSER") != "1", "Chromium is not installed"
        pytest.skip("Chromium is not installed (apt-get install chromium)")
    with running_browser(path) as browser:
        page = new_page(browser)
        page.goto(answer["phoenix_url"])
        page.wait_for_url(f"**/projects/*/traces/{answer['trace_id']}*")
        page.get_by_text("retrieve").first.wait_for()


def test_a_label_is_an_annotation_in_phoenix_once(phoenix: PhoenixProcess, monitor: Any) -> None:
    spans = rag_trace(90, started_at=datetime.now(UTC) - timedelta(hours=4))
    send(monitor, spans, {**RESOURCE, names.PROJECT_NAME: "reviewed"})
    await_spans(phoenix, "reviewed", spans[0].trace_id.hex(), 6)
    monitor.run_jobs()
    item = monitor.post("/review/next", {"reviewer": "ada-lovelace"})["item"]
    label_id = str(uuid.uuid4())
    given = {"label_id": label_id, "lease_id": item["lease_id"], "reviewer": "ada-lovelace", "label": "partly"}
    monitor.client.post(f"/review/items/{item['item_id']}/label", json=given).raise_for_status()
    for _ in range(2):
        monitor.run_jobs()
    (found,) = phoenix.get("/projects/reviewed/span_annotations", identifier=label_id)
    assert (found["name"], found["annotator_kind"]) == ("ragvigil.review", "HUMAN")
    assert found["span_id"] == spans[0].span_id.hex()
    assert (found["result"]["label"], found["result"]["score"]) == ("partly", 0.5)
    assert "lovelace" not in str(found)
    assert monitor.get("/phoenix")["annotations"]["delivered"] == 1


def test_what_comes_while_phoenix_is_away_waits_and_arrives_when_it_is_back(
    phoenix: PhoenixProcess, monitor: Any, shop: httpx.Client
) -> None:
    before = monitor.get("/phoenix")
    phoenix.stop()
    answer = ask(shop, monitor, "asked while it is away")
    wait_until(lambda: monitor.get("/phoenix")["failing_since"] is not None, 30)
    away = monitor.get("/phoenix")
    assert (away["waiting"], away["forwarded"]) == (4, before["forwarded"])
    (problem,) = [each for each in monitor.get("/status")["problems"] if each["part"] == "Phoenix"]
    assert "4 spans wait for it" in problem["detail"]
    phoenix.start()
    monitor.await_forwarded(before["forwarded"] + 4)
    await_spans(phoenix, "shop", answer["trace_id"], 4)
    back = monitor.get("/phoenix")
    assert (back["waiting"], back["dropped"], back["failing_since"]) == (0, 0, None)
    assert monitor.get("/status")["problems"] == []
