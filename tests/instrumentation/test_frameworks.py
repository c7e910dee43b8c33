"""Inside a web framework: streams in thread pools, disconnecting clients, concurrent requests."""

import asyncio
import contextvars
import time
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from fastapi import FastAPI
from fastapi.responses import StreamingResponse

import ragvigil
from ragvigil import attributes as names
from ragvigil.testing import InMemoryExporter

Exported = Callable[[], InMemoryExporter]

app = FastAPI()


@ragvigil.retriever(filter="where", top_k="k")
def search(query: str, where: dict[str, str] | None = None, k: int = 2) -> list[str]:
    return [f"{query}-{number}" for number in range(k)]


@app.get("/plain")
@ragvigil.pipeline
def plain(question: str) -> str:
    search(question)
    return question.upper()


@app.get("/coroutine")
@ragvigil.pipeline("coroutine", question="question")
async def coroutine(question: str, delay_s: float = 0.0) -> str:
    async with ragvigil.stage("rewrite"):
        await asyncio.sleep(delay_s)
    search(question, where={"kind": question})
    return question.upper()


@ragvigil.pipeline("stream")
def words(question: str) -> Iterator[str]:
    with ragvigil.stage("generate") as stage:
        for word in search(question, k=5):
            assert ragvigil.current_stage() is stage
            yield word


@ragvigil.pipeline("async stream")
async def words_async(question: str) -> AsyncIterator[str]:
    async with ragvigil.stage("generate") as stage:
        for word in search(question, k=5):
            await asyncio.sleep(0)
            assert ragvigil.current_stage() is stage
            yield word


@app.get("/stream")
def stream(question: str) -> StreamingResponse:
    return StreamingResponse(words(question))


@app.get("/async-stream")
async def async_stream(question: str) -> StreamingResponse:
    return StreamingResponse(words_async(question))


async def get(client: httpx.AsyncClient, path: str, **parameters: str | float) -> str:
    response = await client.get(path, params=parameters)
    assert response.status_code == 200
    return response.text


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://app") as made:
        yield made


@pytest.mark.parametrize("path", ["/plain", "/coroutine"])
async def test_a_decorated_endpoint_keeps_its_parameters(
    exported: Exported, client: httpx.AsyncClient, path: str
) -> None:
    assert await get(client, path, question="why") == '"WHY"'
    answer = exported().one(path[1:])
    assert answer.attributes[names.INPUT_VALUE] == "why"
    assert answer.attributes[names.OUTPUT_VALUE] == "WHY"
    assert exported().one("retrieve").parent_id == answer.span_id


async def test_a_wrong_parameter_is_still_the_frameworks_business(
    exported: Exported, client: httpx.AsyncClient
) -> None:
    response = await client.get("/plain")
    assert response.status_code == 422
    assert exported().spans == []


@pytest.mark.parametrize(("path", "name"), [("/stream", "stream"), ("/async-stream", "async stream")])
async def test_a_streamed_answer_is_one_trace(
    exported: Exported, client: httpx.AsyncClient, caplog: pytest.LogCaptureFixture, path: str, name: str
) -> None:
    assert await get(client, path, question="q") == "q-0q-1q-2q-3q-4"
    found = exported()
    answer = found.one(name)
    assert answer.attributes[names.OUTPUT_VALUE] == "q-0q-1q-2q-3q-4"
    assert found.one("generate").parent_id == answer.span_id
    assert found.one("retrieve").parent_id == found.one("generate").span_id
    assert "detach" not in caplog.text


async def test_concurrent_requests_keep_apart(exported: Exported, client: httpx.AsyncClient) -> None:
    questions = [f"q{number}" for number in range(20)]
    requests = [get(client, "/coroutine", question=q, delay_s=0.001 * (i % 5)) for i, q in enumerate(questions)]
    await asyncio.gather(*requests)
    found = exported()
    asked = {span.span_id: span.attributes[names.INPUT_VALUE] for span in found.named("coroutine")}
    assert sorted(asked.values()) == sorted(questions)
    for span in found.named("retrieve"):
        assert asked[span.attributes[names.ANSWER_SPAN_ID]] == span.attributes[names.RETRIEVAL_QUERY_TEXT]
    assert len({span.trace_id for span in found.named("coroutine")}) == 20


async def test_a_request_that_is_cancelled_ends_its_spans(exported: Exported, client: httpx.AsyncClient) -> None:
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(get(client, "/coroutine", question="q", delay_s=60.0), timeout=0.2)
    assert {span.name for span in exported().spans} == {"coroutine", "rewrite"}


def test_steps_of_a_stream_may_run_in_any_thread(exported: Exported, caplog: pytest.LogCaptureFixture) -> None:
    running = words("q")
    with ThreadPoolExecutor(1) as first, ThreadPoolExecutor(1) as second:
        for pool in (first, second, first, second, first):
            assert pool.submit(contextvars.copy_context().run, next, running).result().startswith("q-")
        assert second.submit(next, running, "end").result() == "end"
    found = exported()
    assert found.one("generate").parent_id == found.one("stream").span_id
    assert caplog.text == ""


def test_a_kept_up_load_into_nowhere_keeps_memory_bounded(lenient: None) -> None:
    """A receiver that is down: what waits stays within the queue's bounds, and recording within microseconds."""
    ragvigil.configure(endpoint="http://127.0.0.1:1", max_queue_traces=50, timeout_s=0.2)
    began = time.thread_time()
    for number in range(3000):
        with ragvigil.pipeline("ask") as answer:
            answer.set(question=f"question {number}" * 100)
            with ragvigil.stage("embed") as s:
                s.vector([0.5] * 384)
    assert (time.thread_time() - began) / 3000 < 0.002
    counts = ragvigil.counts()
    assert counts.started == 6000
    assert counts.dropped >= 6000 - 2 * 50 - 2000
    assert counts.exported == 0
