"""How fast `ragvigil serve` takes realistic RAG traces, beside what its work costs without HTTP and threads.

usage: python tests/benchmarks/ingest.py [--json] [--traces N] [--traces-per-request N] [--clients N] [--phoenix]

Clients replay bodies, encoded before, over real HTTP. The limit is FromString, conversion to the stored columns and
Arrow insert in one process, without HTTP, threads or acknowledgements. CPU seconds are those of the server's processes.
Both sides are warm: what is imported on first use, and the first run of the jobs, are over before anything is counted.
So many traces are sent by default that the jobs, which pause for 15 s, run meanwhile and are counted.
`jobs_cpu_s`: what the next run of the jobs costs, which judges all of these spans at once.
With --phoenix the first of the same requests go to an Arize Phoenix on SQLite too (`make setup-phoenix`).
`share_while_queried`: spans a second while somebody opens one page after the other, over those without; one server,
in turns, so that a busy machine slows down both.
"""

import argparse
import json
import re
import statistics
import sys
import tempfile
import threading
import time
from array import array
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import TypeVar

import httpx
from opentelemetry.proto.trace.v1.trace_pb2 import Span

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.benchmarks._phoenix import stored_by_phoenix
from tests.samples.otlp import PROTOBUF, any_value, rag_trace, traces
from tests.samples.process_tree import cpu_s

from ragvigil.attributes import QUERY_VECTOR
from ragvigil_monitor.cli.processes import ServeProcess, start_serve
from ragvigil_monitor.keys import Role
from ragvigil_monitor.receiver.batch import Batch
from ragvigil_monitor.receiver.decoding import decode_traces
from ragvigil_monitor.receiver.times import microseconds
from ragvigil_monitor.receiver.writing import write
from ragvigil_monitor.store import Store

T = TypeVar("T")

SPANS_PER_TRACE = 6
PHOENIX_TRACES = 500
"""So many of them go to Phoenix, which takes its time."""
PAIRS = 5
PAGES_A_SECOND = 10
PAGES = (
    "/status",
    "/completeness",
    "/answers",
    "/answers?order=slowest",
    "/answers?order=costliest&stage=retrieve",
    "/signals",
    "/feedback",
    "/review/losses",
)
JOBS_TIMEOUT_S = 120.0
GROUP = 16
"""Requests that the limit inserts together, about as many as a busy committer finds waiting."""


def rag_traces(number: int) -> list[list[Span]]:
    """Distinct traces, a second apart."""
    first = datetime.now(UTC) - timedelta(days=1)
    return [rag_trace(each, started_at=first + timedelta(seconds=each)) for each in range(number)]


def bodies(made: Sequence[list[Span]], per_request: int) -> list[bytes]:
    """Encoded requests of so many traces each."""
    return [
        traces(*(span for trace in group for span in trace)).SerializeToString()
        for group in portions(made, per_request)
    ]


def portions(items: Sequence[T], size: int) -> list[Sequence[T]]:
    """The items in groups of `size`."""
    return [items[begin : begin + size] for begin in range(0, len(items), size)]


def limit_cpu_s(requests: Sequence[bytes], folder: Path) -> float:
    """CPU seconds that decoding and inserting cost in one process."""
    store = Store.open(folder / "limit.duckdb")
    now = datetime.now(UTC)
    start = time.process_time()
    for group in portions(requests, GROUP):
        together = Batch()
        for body in group:
            together.add(decode_traces(body, microseconds(now)))
        with store.transaction() as writer:
            write(writer, together, now)
    taken = time.process_time() - start
    store.close()
    return taken


@dataclass(frozen=True, slots=True)
class Served:
    """What a server took to receive the requests, and for the run of its jobs that followed."""

    wall_s: float
    cpu_s: float
    jobs_cpu_s: float
    size_bytes: int


def served(warming: Sequence[bytes], requests: Sequence[bytes], clients: int, folder: Path) -> Served:
    """Let a server take the requests, after those that warm it up."""
    database = folder / "served.duckdb"
    serving = start_serve(db=database, port=0)
    try:
        send(serving.url, warming)
        await_job_run(serving, 1)
        cpu, start = cpu_s(serving.child.pid), time.perf_counter()
        with ThreadPoolExecutor(clients) as senders:
            list(
                senders.map(lambda part: send(serving.url, part), [requests[each::clients] for each in range(clients)])
            )
        wall, sent = time.perf_counter() - start, cpu_s(serving.child.pid)
        await_job_run(serving, job_runs(serving) + 1)
        jobs = cpu_s(serving.child.pid) - sent
    finally:
        serving.stop()
    return Served(wall, sent - cpu, jobs, database.stat().st_size)


def await_job_run(serving: ServeProcess, number: int) -> None:
    """Wait until the jobs have run so many times."""
    deadline = time.monotonic() + JOBS_TIMEOUT_S
    while job_runs(serving) < number:
        if time.monotonic() > deadline:
            raise TimeoutError(f"The jobs did not run {number} times within {JOBS_TIMEOUT_S:g} s.")
        time.sleep(1.0)  # to ask costs the server something


def job_runs(serving: ServeProcess) -> int:
    """How many times the last of the jobs has run."""
    headers = {"Authorization": f"Bearer {serving.keys.by_role[Role.ONCALL]}"}
    text = httpx.get(f"{serving.url}/metrics", headers=headers, timeout=60, trust_env=False).raise_for_status().text
    found = re.search(r'^ragvigil_job_duration_seconds_count\{job="retention"\} (\S+)$', text, re.MULTILINE)
    return int(float(found[1])) if found else 0


def share_while_queried(requests: Sequence[bytes], clients: int, folder: Path) -> float:
    """Speed with pages over speed without, the median of several pairs of turns on one server."""
    serving = start_serve(db=folder / "queried.duckdb", port=0)
    turns = portions(requests, max(1, len(requests) // (2 * PAIRS)))[: 2 * PAIRS]
    try:
        taken = []
        for number, turn in enumerate(turns):
            with opening_pages(serving) if number % 2 else nullcontext():
                start = time.perf_counter()
                with ThreadPoolExecutor(clients) as senders:
                    list(senders.map(partial(send, serving.url), [turn[each::clients] for each in range(clients)]))
                taken.append(time.perf_counter() - start)
    finally:
        serving.stop()
    return statistics.median(alone / queried for alone, queried in zip(taken[::2], taken[1::2], strict=True))


@contextmanager
def opening_pages(serving: ServeProcess) -> Iterator[None]:
    """Somebody opens one page after the other, PAGES_A_SECOND, until the block ends."""
    over = threading.Event()

    def open_pages() -> None:
        headers = {"Authorization": f"Bearer {serving.keys.by_role[Role.ONCALL]}"}
        with httpx.Client(base_url=f"{serving.url}/api/v1", headers=headers, timeout=60, trust_env=False) as client:
            for path in cycle(PAGES):
                client.get(path).raise_for_status()
                if over.wait(1 / PAGES_A_SECOND):
                    return

    with ThreadPoolExecutor(1) as reader:
        reading = reader.submit(open_pages)
        try:
            yield
        finally:
            over.set()
        reading.result()


def send(url: str, requests: Sequence[bytes]) -> None:
    """Post requests one after the other over one connection; each must be acknowledged."""
    with httpx.Client(base_url=url, headers=PROTOBUF, timeout=60, trust_env=False) as client:
        for body in requests:
            client.post("/v1/traces", content=body).raise_for_status()


def measure(number: int, per_request: int, clients: int) -> dict[str, float]:
    """Every figure by its name."""
    warming_traces = GROUP * per_request
    requests = bodies(rag_traces(number + warming_traces), per_request)
    warming, requests = requests[:GROUP], requests[GROUP:]
    spans, warming_spans = number * SPANS_PER_TRACE, warming_traces * SPANS_PER_TRACE
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        limit_cpu_s(warming, folder)  # imports what is imported on first use
        (folder / "limit.duckdb").unlink()
        limit = limit_cpu_s(requests, folder)
        taken = served(warming, requests, clients, folder)
        share = share_while_queried(requests, clients, folder)
    return {
        "spans_per_s": spans / taken.wall_s,
        "spans_per_cpu_s": spans / taken.cpu_s,
        "limit_spans_per_cpu_s": spans / limit,
        "share_of_limit": limit / taken.cpu_s,
        "jobs_cpu_s": taken.jobs_cpu_s,
        "bytes_per_span": taken.size_bytes / (spans + warming_spans),
        "share_while_queried": share,
    }


def write_vector_as_list(span: Span) -> None:
    """Write the query vector as OpenInference does; as bytes Phoenix loses the whole span."""
    for pair in span.attributes:
        if pair.key == QUERY_VECTOR:
            vector = array("f", pair.value.bytes_value)
            pair.key = "embedding.embeddings.0.embedding.vector"
            pair.value.CopyFrom(any_value(list(vector)))


def beside_phoenix(ours: Mapping[str, float], per_request: int) -> dict[str, float]:
    """What Phoenix makes of the same requests; the ratios are ours to its.

    `phoenix_ratio` compares spans a second, in which the clients share the cores with the server, and
    `phoenix_cpu_ratio` spans a second of CPU.
    """
    made = rag_traces(PHOENIX_TRACES)
    for span in (span for spans in made for span in spans):
        write_vector_as_list(span)
    requests = bodies(made, per_request)
    with tempfile.TemporaryDirectory() as temporary:
        stored = stored_by_phoenix(requests, PHOENIX_TRACES * SPANS_PER_TRACE, Path(temporary), cpu_s)
    return {
        "phoenix_spans_per_s": stored.spans / stored.wall_s,
        "phoenix_spans_per_cpu_s": stored.spans / stored.cpu_s,
        "phoenix_bytes_per_span": stored.size_bytes / stored.spans,
        "phoenix_ratio": ours["spans_per_s"] / (stored.spans / stored.wall_s),
        "phoenix_cpu_ratio": ours["spans_per_cpu_s"] / (stored.spans / stored.cpu_s),
        "phoenix_bytes_ratio": ours["bytes_per_span"] / (stored.size_bytes / stored.spans),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Speed of receiving, beside the limit of its parts.")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--traces", type=int, default=30_000, help="traces of six spans")
    parser.add_argument("--traces-per-request", type=int, default=50, help="traces in one request")
    parser.add_argument("--clients", type=int, default=8, help="clients that send at once")
    parser.add_argument("--phoenix", action="store_true", help="compare with Phoenix, some minutes")
    wanted = parser.parse_args()
    found = measure(wanted.traces, wanted.traces_per_request, wanted.clients)
    if wanted.phoenix:
        found |= beside_phoenix(found, wanted.traces_per_request)
    print(json.dumps(found) if wanted.json else "\n".join(f"{key:24} {value:12.3f}" for key, value in found.items()))


if __name__ == "__main__":
    main()
