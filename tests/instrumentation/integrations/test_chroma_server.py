"""Queries of an async collection of a real Chroma server on the loopback interface."""

import asyncio
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import chromadb
import httpx
import pytest
from chromadb.config import Settings

from ragvigil import attributes as names
from ragvigil.integrations.chroma import instrument
from ragvigil.testing import SpanSnapshot

Spans = Callable[[], list[SpanSnapshot]]

COMMAND = Path(sys.executable).with_name("chroma")
METADATA: list[Any] = [{"tenant": "acme" if n % 2 else "beta", "lang": ["de", "fr", "en"][n % 3]} for n in range(12)]
BOTH: Any = {"$and": [{"tenant": "acme"}, {"lang": "de"}]}


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """Where a server listens that ends with the tests."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        chosen = free.getsockname()[1]
    path = tmp_path_factory.mktemp("chroma")
    command = [str(COMMAND), "run", "--path", str(path), "--host", "127.0.0.1", "--port", str(chosen)]
    silent = {**os.environ, "ANONYMIZED_TELEMETRY": "False"}
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=silent)
    deadline = time.monotonic() + 120
    while not is_up(chosen):
        assert time.monotonic() < deadline, "the server never listened"
        time.sleep(0.05)
    yield chosen
    server.terminate()
    server.wait(timeout=30)


def is_up(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/api/v2/heartbeat", timeout=1).is_success
    except httpx.TransportError:
        return False


async def test_an_async_query_and_its_probe_are_recorded(port: int, configured: Callable[..., Spans]) -> None:
    spans = configured(probe_share=1.0)
    client = await chromadb.AsyncHttpClient("127.0.0.1", port, settings=Settings(anonymized_telemetry=False))
    collection: Any = await client.create_collection("docs", embedding_function=None)
    vectors = [[1.0, number / 10] for number in range(12)]
    await collection.add(ids=[f"d{number}" for number in range(12)], embeddings=vectors, metadatas=METADATA)
    assert instrument(collection, relevance=("lang",)) is collection
    found = await collection.query(query_embeddings=[[1.0, 0.0]], n_results=3, where=BOTH)
    assert found["ids"] == [["d3", "d9"]]
    query, probe = await asyncio.to_thread(spans)
    assert [document["id"] for document in json.loads(query.attributes[names.STAGE_OUTPUT_DOCUMENTS])] == ["d3", "d9"]
    assert query.attributes[names.FILTER_STATE] == "known"
    assert query.attributes[names.DB_COLLECTION] == "docs"
    assert json.loads(probe.attributes[names.PROBE_PASSES]) == [False, True, False, False, True, False]
