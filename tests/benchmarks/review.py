"""How long the review API takes to give out an item and to take its label, with a long queue behind it.

usage: python tests/benchmarks/review.py [--json] [--answers N] [--items N] [--calls N]

One service in this process, its store in a file, asked over real HTTP. Milliseconds are CPU of the process, client
included, so that a busy machine does not count; the floor is a route that reads nothing. `grown_*` is the same after
nine tenths of the items have been labelled: what was done must not slow down what is left.
"""

import argparse
import json
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pyarrow as pa

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.samples.reviews import draw_reviews
from tests.samples.searches import FILTER, RELEVANCE
from tests.samples.servers import running_api, running_service

from ragvigil_monitor.keys import Keys, Role
from ragvigil_monitor.store import Store, Writer
from ragvigil_monitor.telemetry_tables import ANSWERS, SPANS

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
SPANS_PER_ANSWER = 8
DOCUMENTS = 20
DAYS = 6.0
PORTION = 500
REVIEWER = "ada"
Columns = dict[str, Any]


def fill(store: Store, answers: int, items: int) -> None:
    """Answers in even steps over some days, eight spans each, a probe for as many as there shall be items.

    They come in portions in order of time, as an application sends them, so that a time range is a part of the file.
    """
    rng = np.random.default_rng(5)
    first = np.datetime64((NOW - timedelta(days=DAYS, hours=30)).replace(tzinfo=None), "us")
    step = timedelta(days=DAYS) / answers / timedelta(microseconds=1)
    started = first + (np.arange(answers) * step).astype("m8[us]")
    probed = np.zeros(answers, dtype=bool)
    probed[np.linspace(0, answers - 1, items).astype(int)] = True
    for begin in range(0, answers, PORTION):
        part = slice(begin, begin + PORTION)
        with store.transaction() as writer:
            _add(writer, rng, started[part], probed[part])


def _add(writer: Writer, rng: np.random.Generator, started: Any, probed: Any) -> None:
    n = len(started)
    traces, roots = _ids(rng, n, 16), _ids(rng, n, 8)
    asked = {"answer_id": [root.hex() for root in roots], "question": _same("Are returns free?", n)}
    answers = {"trace_id": traces, "span_id": roots, "started_at": started, **asked}
    writer.execute_with("insert_answers", _table(ANSWERS, answers, n))
    for place in range(SPANS_PER_ANSWER):
        ids = _ids(rng, n, 8)
        rows = {"trace_id": traces, "span_id": ids, "answer_span_id": roots, "started_at": started + 1 + place}
        writer.execute_with("insert_spans", _table(SPANS, {**rows, **_stage(place, n)}, n))
        if place == 0:
            names = [f"{traces[at].hex()}-{ids[at].hex()}" for at in np.flatnonzero(probed)]
            _probe(writer, rng, names, started[probed] + np.timedelta64(5, "s"))


def _probe(writer: Writer, rng: np.random.Generator, names: list[str], started: Any) -> None:
    n = len(names)
    said = json.dumps({**json.loads(_texts()), "ragvigil.sampling.probability": 1.0})
    rows = {"trace_id": _ids(rng, n, 16), "span_id": _ids(rng, n, 8), "started_at": started, "probe_id": names}
    writer.execute_with("insert_spans", _table(SPANS, {**rows, **_stage(0, n), "attributes": _same(said, n)}, n))


def _stage(place: int, n: int) -> Columns:
    if place > 0:
        return {"stage": _same(f"stage-{place}", n), "attributes": _same('{"source": "benchmark"}', n)}
    documents = json.dumps([{"id": f"doc-{rank}", "score": 0.5} for rank in range(DOCUMENTS)])
    return {
        "stage": _same("retrieve", n),
        "filter_state": _same("known", n),
        "filter_ast": _same(json.dumps(FILTER), n),
        "filter_clauses": _same(json.dumps([RELEVANCE]), n),
        "output_documents": _same(documents, n),
        "attributes": _same(_texts(), n),
    }


def _texts() -> str:
    text = "A paragraph of a document, about as long as such paragraphs are. " * 8
    return json.dumps({f"retrieval.documents.{rank}.document.content": text for rank in range(DOCUMENTS)})


def _table(schema: pa.Schema, rows: Columns, n: int) -> pa.Table:
    plain = {"service": "shop", "name": "work", "status": "ok", "dropped_attributes": 0, "sampling_probability": 1.0}
    every = {**{name: _same(value, n) for name, value in plain.items()}, **rows}
    return pa.table({each.name: pa.array(every.get(each.name, [None] * n), each.type) for each in schema})


def _same(value: object, n: int) -> list[object]:
    return [value] * n


def _ids(rng: np.random.Generator, n: int, size: int) -> list[bytes]:
    together = rng.bytes(n * size)
    return [together[begin : begin + size] for begin in range(0, n * size, size)]


@contextmanager
def reviewing(folder: Path, answers: int, items: int) -> Iterator[httpx.Client]:
    """A client with the reviewer's key, in front of a service that has drawn its items."""
    store, keys = Store.open(folder / "review.duckdb"), Keys.generate()
    fill(store, answers, items)
    settings = {"uniform_share": items / answers / 4, "probe_share": 1.0, "unfiltered_share": 0.0}
    headers = {"Authorization": f"Bearer {keys.by_role[Role.REVIEWER]}"}
    with running_service(store, keys, lambda: NOW, review=settings) as service:
        draw_reviews(service)
        with (
            running_api(service) as url,
            httpx.Client(base_url=f"{url}/api/v1", headers=headers, timeout=60, trust_env=False) as client,
        ):
            yield client
    store.close()


def review(client: httpx.Client, kind: str, calls: int) -> dict[str, float]:
    """Take and label items of a kind; CPU milliseconds of one call."""
    took, said = 0.0, 0.0
    for _ in range(calls):
        seconds, served = timed(lambda: client.post("/review/next", json={"reviewer": REVIEWER, "kind": kind}))
        took += seconds
        item = served["item"]
        if item is None:
            raise SystemExit(f"The queue holds fewer than {calls} items of the kind {kind}.")
        path, body = answer_of(item)
        said += timed(lambda path=path, body=body: client.post(path, json=body))[0]  # type: ignore[misc]
    return {"next_ms": took / calls * 1000, "label_ms": said / calls * 1000}


def answer_of(item: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Route and body of a label."""
    lease = {"label_id": str(uuid.uuid4()), "lease_id": item["lease_id"], "reviewer": REVIEWER}
    if item["kind"] == "answer":
        return f"/review/items/{item['item_id']}/label", {**lease, "label": "supported"}
    return f"/review/items/{item['item_id']}/relevance", {**lease, "relevant": [item["evidence"][0]["id"]]}


def timed(call: Callable[[], httpx.Response]) -> tuple[float, Any]:
    """CPU seconds of a call, and the JSON of its answer."""
    start = time.process_time()
    response = call().raise_for_status()
    return time.process_time() - start, response.json()


def measure(answers: int, items: int, calls: int) -> dict[str, float]:
    """Every figure by its name."""
    with tempfile.TemporaryDirectory() as folder, reviewing(Path(folder), answers, items) as client:
        review(client, "relevance", 5)  # imports and plans what the first call does
        floor = sum(timed(lambda: client.get("/whoami"))[0] for _ in range(calls)) / calls * 1000
        found = {"floor_ms": floor}
        for kind in ("relevance", "answer"):
            found |= {f"{kind}_{name}": value for name, value in review(client, kind, calls).items()}
        waiting = client.get("/review/progress", params={"reviewer": REVIEWER, "kind": "relevance"}).json()["waiting"]
        review(client, "relevance", max(0, waiting - items // 10))
        grown = {f"grown_{name}": value for name, value in review(client, "relevance", calls).items()}
    return {**found, **grown, "growth": grown["grown_next_ms"] / found["relevance_next_ms"]}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Cost of giving out items of the review and taking their labels.")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--answers", type=int, default=60_000, help="answers in the store, eight spans each")
    parser.add_argument("--items", type=int, default=5_000, help="probed retrievals that are drawn")
    parser.add_argument("--calls", type=int, default=200, help="items that are labelled for each figure")
    wanted = parser.parse_args()
    found = measure(wanted.answers, wanted.items, wanted.calls)
    print(json.dumps(found) if wanted.json else "\n".join(f"{key:24} {value:12.3f}" for key, value in found.items()))


if __name__ == "__main__":
    main()
