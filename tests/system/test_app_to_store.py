"""A decorated FastAPI app under uvicorn, sending over HTTP to `ragvigil serve`."""

import json
from datetime import datetime, timedelta
from typing import Any

from ragvigil_monitor.store import Store


def test_an_answer_arrives_with_its_stages(monitor: Any, start_shop: Any) -> None:
    shop = start_shop()
    assert shop.get("/ask", params={"question": "dates"}).json() == {"answer": "Read doc-0 about dates"}
    assert shop.post("/flush").json() == {"sent": True}
    answer = monitor.only_answer()
    assert (answer["question"], answer["answer"]) == ("dates", "Read doc-0 about dates")
    assert (answer["service"], answer["service_version"], answer["intent"]) == ("shop", "1.4.2", "how_to")
    assert [span["stage"] for span in answer["spans"]] == [None, "embed", "retrieve", "generate"]
    assert answer["cost_usd"] == 0.002


def test_the_retrieval_is_complete(monitor: Any, start_shop: Any) -> None:
    shop = start_shop()
    shop.get("/ask", params={"question": "dates"})
    shop.post("/flush")
    retrieval = next(span for span in monitor.only_answer()["spans"] if span["stage"] == "retrieve")
    assert retrieval["filter_state"] == "known"
    assert [clause["id"] for clause in retrieval["output_documents"]] == ["doc-0", "doc-1", "doc-2"]
    assert (retrieval["query_text"], retrieval["top_k"]) == ("dates", 3)
    assert "acme" not in json.dumps(retrieval)


def test_nothing_is_lost_or_stored_twice(monitor: Any, start_shop: Any) -> None:
    shop = start_shop()
    for number in range(30):
        shop.get("/ask", params={"question": f"question {number}"})
    shop.post("/flush")
    assert len(monitor.get("/answers")) == 30
    assert monitor.outcomes()["spans_committed"] == 120
    (process,) = monitor.get("/completeness")
    assert (process["started"], process["stored"], process["share"]) == (120, 120, 1.0)


def test_spans_of_the_sdk_nest_below_the_stage_that_made_them(monitor: Any, start_shop: Any) -> None:
    shop = start_shop("--opentelemetry")
    shop.get("/ask", params={"question": "dates"})
    shop.post("/flush")
    monitor.run_jobs()
    spans = {span["name"]: span for span in monitor.only_answer()["spans"]}
    lookup, retrieval = spans["index.lookup"], spans["retrieve"]
    assert lookup["parent_span_id"] == retrieval["span_id"]
    assert spans["answer"]["parent_span_id"] not in {None, *(span["span_id"] for span in spans.values())}


def test_the_file_holds_everything_after_the_service_stopped(monitor: Any, start_shop: Any) -> None:
    shop = start_shop("--opentelemetry")
    shop.get("/ask", params={"question": "dates"})
    shop.post("/flush")
    monitor.run_jobs()
    answer = monitor.only_answer()
    assert monitor.serving.stop() == 0
    store = Store.open(monitor.database)
    try:
        belongs = answer_span_ids(store, answer)
    finally:
        store.close()
    assert belongs["index.lookup"] == bytes.fromhex(answer["span_id"])
    assert belongs["generate"] == bytes.fromhex(answer["span_id"])


def answer_span_ids(store: Store, answer: dict[str, Any]) -> dict[str, bytes | None]:
    """Which answer each span of the trace belongs to, by the span's name."""
    started_at, hour = datetime.fromisoformat(answer["started_at"]), timedelta(hours=1)
    trace_id = bytes.fromhex(answer["trace_id"])
    rows = store.rows("spans_of_trace", trace_id=trace_id, start=started_at - hour, end=started_at + hour, limit=100)
    return {row["name"]: row["answer_span_id"] for row in rows}
