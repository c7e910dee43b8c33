"""Probes that fail, hang, or are too late, and those of coroutine functions."""

import asyncio
import json
import threading
from collections.abc import Callable

import pytest
from tests.samples.probed_search import SAID, Index, decorated, split

import ragvigil
from ragvigil import Filter, ProbeCounts
from ragvigil import attributes as names
from ragvigil.testing import InMemoryExporter

Configured = Callable[..., InMemoryExporter]
WaitFor = Callable[[Callable[[], object]], None]


def test_a_probe_that_fails_is_an_error_in_its_own_trace_only(
    probing: Configured, caplog: pytest.LogCaptureFixture
) -> None:
    exporter = probing()

    @ragvigil.retriever(filter="where", top_k="k")
    def search(query: str, where: Filter, k: int = 3) -> list[str]:
        if k > 3:
            raise ValueError("too deep")
        return ["a"]

    assert search("files", SAID) == ["a"]
    assert ragvigil.flush()
    probed, probe = split(exporter.spans)
    assert (probed.status, probe.status) == ("unset", "error")
    assert names.STAGE_OUTPUT_DOCUMENTS not in probe.attributes
    assert ragvigil.counts().probes == ProbeCounts(sampled=1, failed=1)
    assert "a probe failed: ValueError" in caplog.text


def test_a_probe_that_hangs_stops_no_request_and_no_delivery(
    probing: Configured, lenient: None, wait_for: WaitFor
) -> None:
    exporter = probing(probe_timeout_s=0.05, max_waiting_probes=2)
    released = threading.Event()

    @ragvigil.retriever(filter="where", top_k="k")
    def search(query: str, where: Filter, k: int = 3) -> list[str]:
        if k > 3:
            released.wait(30)
        return ["a"]

    try:
        search("first", SAID)
        wait_for(lambda: ragvigil.counts().probes.timed_out == 1)
        for _ in range(10):
            assert search("more", SAID) == ["a"]
        assert not ragvigil.flush(timeout_s=20)
        assert len(exporter.spans) == 11
        assert ragvigil.counts().probes == ProbeCounts(sampled=11, timed_out=1, dropped=8)
    finally:
        released.set()


def test_shutdown_drops_waiting_probes_and_delivers_the_rest(probing: Configured) -> None:
    exporter = probing(max_waiting_probes=10)
    recorder = ragvigil.current.recorder
    assert recorder is not None
    began, released = threading.Event(), threading.Event()

    @ragvigil.retriever(filter="where", top_k="k")
    def search(query: str, where: Filter, k: int = 3) -> list[str]:
        if k > 3:
            began.set()
            released.wait(30)
        return ["a"]

    search("first", SAID)
    assert began.wait(10)
    search("second", SAID)
    assert ragvigil.shutdown(timeout_s=10)
    released.set()
    assert len(exporter.spans) == 2
    assert recorder.counts().probes.dropped == 1


def test_a_probe_that_is_due_after_the_end_is_dropped(probing: Configured, index: Index) -> None:
    probing()
    recorder = ragvigil.current.recorder
    assert recorder is not None
    with ragvigil.pipeline("ask"):
        decorated(index)("files", SAID)
        ragvigil.shutdown()
    assert recorder.counts().probes == ProbeCounts(sampled=1, dropped=1)
    assert len(index.asked) == 1


# --- coroutine functions -------------------------------------------------------------------------------------


def test_a_coroutine_function_is_probed_in_its_own_loop(probing: Configured) -> None:
    exporter = probing()
    asked: list[tuple[object, int, asyncio.AbstractEventLoop]] = []

    @ragvigil.retriever(filter="where", top_k="k")
    async def search(query: str, where: Filter, k: int = 3) -> list[str]:
        await asyncio.sleep(0)
        asked.append((where, k, asyncio.get_running_loop()))
        return ["a"] * k

    async def main() -> bool:
        with ragvigil.pipeline("ask"):
            await search("files", SAID)
        return await asyncio.to_thread(ragvigil.flush)

    assert asyncio.run(main())
    assert [(said, k) for said, k, _ in asked] == [(SAID, 3), (SAID.relaxed(), 6)]
    assert asked[0][2] is asked[1][2]
    probed, probe = split(exporter.spans)
    assert probe.links == [(probed.trace_id, probed.span_id)]
    assert len(json.loads(probe.attributes[names.STAGE_OUTPUT_DOCUMENTS])) == 6
    assert ragvigil.counts().probes == ProbeCounts(sampled=1, run=1)


def test_a_coroutine_that_hangs_is_cancelled_and_makes_room(probing: Configured, wait_for: WaitFor) -> None:
    probing(probe_timeout_s=0.05)
    cancelled: list[str] = []

    @ragvigil.retriever(filter="where", top_k="k")
    async def search(query: str, where: Filter, k: int = 3) -> list[str]:
        if k > 3 and query == "slow":
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                cancelled.append(query)
                raise
        return ["a"]

    async def main() -> None:
        await search("slow", SAID)
        await search("quick", SAID)
        await asyncio.to_thread(wait_for, lambda: ragvigil.counts().probes.run == 1)

    asyncio.run(main())
    assert cancelled == ["slow"]
    assert ragvigil.counts().probes == ProbeCounts(sampled=2, run=1, timed_out=1)


def test_a_coroutine_that_fails_is_counted(probing: Configured) -> None:
    probing()

    @ragvigil.retriever(filter="where", top_k="k")
    async def search(query: str, where: Filter, k: int = 3) -> list[str]:
        if k > 3:
            raise ValueError("too deep")
        return ["a"]

    async def main() -> bool:
        await search("files", SAID)
        return await asyncio.to_thread(ragvigil.flush)

    assert asyncio.run(main())
    assert ragvigil.counts().probes == ProbeCounts(sampled=1, failed=1)


def test_a_loop_that_is_closed_before_its_probe_fails_it(probing: Configured, index: Index, wait_for: WaitFor) -> None:
    probing()

    @ragvigil.retriever(filter="where", top_k="k")
    async def search(query: str, where: Filter, k: int = 3) -> list[str]:
        return index.search(query, where, k)

    with ragvigil.pipeline("ask"):
        asyncio.run(search("files", SAID))
    assert ragvigil.flush()
    assert len(index.asked) == 1
    assert ragvigil.counts().probes == ProbeCounts(sampled=1, failed=1)


def test_a_loop_that_stands_still_is_given_up(probing: Configured, index: Index, wait_for: WaitFor) -> None:
    probing(probe_timeout_s=0.05)

    @ragvigil.retriever(filter="where", top_k="k")
    async def search(query: str, where: Filter, k: int = 3) -> list[str]:
        return index.search(query, where, k)

    loop = asyncio.new_event_loop()
    with ragvigil.pipeline("ask"):
        loop.run_until_complete(search("files", SAID))
    wait_for(lambda: ragvigil.counts().probes.timed_out == 1)
    loop.run_until_complete(asyncio.sleep(0.01))
    loop.close()
    assert len(index.asked) == 1
    assert ragvigil.flush()
