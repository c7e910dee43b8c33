"""Traces at a steady rate into a receiver that is not there: does memory stay flat, and is any request delayed?

usage: python tests/benchmarks/unreachable.py [--json] [--seconds N] [--rate N]

Three runs of the same load, each in a process of its own: with a receiver that answers, with none, and with none but a
spool directory small enough that old segments must go. Memory is the resident set, after warm-up (the first 40 % of
the time): its median in the last fifth of what follows beside that in the first fifth, and its peak, which an attempt
at delivery makes. A request is the recording of one trace; its wall
time is compared with that of the run whose receiver answers, which lasts a minute at most.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from array import array
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.benchmarks._receiver import receiver

import ragvigil
from ragvigil import relevance, where
from ragvigil.predicates import eq

WARM_UP_SHARE = 0.4
LONGEST_BASELINE_S = 60
SPOOL_BYTES = 16 << 20
SPANS_PER_TRACE = 3
MIB = 1 << 20
IDS = [f"document-{number:04d}" for number in range(10)]
SCORES = [1.0 - number / 20 for number in range(10)]
FILTER = where(relevance(eq("kind", "guide")))


@dataclass(frozen=True)
class Run:
    """What one run of the load found; latencies in microseconds, memory in MiB, what became of its spans.

    `evicted` are those `dropped` because the spool directory has a limit; the others did not fit into the queue.
    """

    traces_per_s: float
    p50_us: float
    p99_us: float
    p999_us: float
    max_us: float
    warm_mib: float
    growth_mib: float
    peak_mib: float
    exported: int
    spooled: int
    dropped: int
    evicted: int
    waiting: int


def request(number: int) -> None:
    """One small trace: an answer with two stages."""
    with ragvigil.pipeline("ask") as answer:
        answer.set(question=f"How do I read file {number}?", session_id="s-1")
        with ragvigil.stage("retrieve") as stage:
            stage.set(top_k=10)
            stage.filter(FILTER)
            stage.outputs(IDS, SCORES)
        with ragvigil.stage("generate") as stage:
            stage.set(model="large", input_tokens=900, output_tokens=70, cost_usd=0.002)
        answer.set(answer="a sentence of the answer. " * 6, citations=IDS[:3])


def load(seconds: float, rate: int) -> Run:
    """Requests at a steady rate, late ones at once; everything that is kept for the result is allocated before."""
    wanted = int(seconds * rate)
    latencies_ns = array("q", bytes(8 * wanted))
    memory = array("d", bytes(8 * (int(seconds * 2) + 2)))
    began = time.monotonic()
    sampled = 0
    for number in range(wanted):
        due = began + number / rate
        ahead = due - time.monotonic()
        if ahead > 0.005:
            time.sleep(ahead)
        before = time.perf_counter_ns()
        request(number)
        latencies_ns[number] = time.perf_counter_ns() - before
        if number * 2 >= sampled * rate:
            memory[sampled] = resident_mib()
            sampled += 1
    took_s = time.monotonic() - began
    ragvigil.flush(timeout_s=10)
    return _run(wanted / took_s, sorted(latencies_ns), list(memory[:sampled]))


def _run(traces_per_s: float, latencies_ns: list[int], memory: list[float]) -> Run:
    def percentile(share: float) -> float:
        return latencies_ns[min(len(latencies_ns) - 1, int(share * len(latencies_ns)))] / 1000

    warm = memory[int(WARM_UP_SHARE * len(memory)) :]
    fifth = max(1, len(warm) // 5)
    counts = ragvigil.counts()
    return Run(
        traces_per_s,
        percentile(0.5),
        percentile(0.99),
        percentile(0.999),
        latencies_ns[-1] / 1000,
        median(warm[:fifth]),
        median(warm[-fifth:]) - median(warm[:fifth]),
        max(warm),
        counts.exported,
        counts.spooled,
        counts.dropped,
        SPANS_PER_TRACE * counts.spool.evicted,
        counts.started - counts.exported - counts.spooled - counts.dropped,
    )


def resident_mib() -> float:
    """Resident memory of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / MIB


def run_apart(seconds: float, rate: int, endpoint: str, spool_dir: str = "") -> Run:
    """The load in a process of its own."""
    command = [sys.executable, __file__, "--load", endpoint, "--spool", spool_dir]
    command += ["--seconds", str(seconds), "--rate", str(rate)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    return Run(**json.loads(done.stdout))


def measure(seconds: float, rate: int) -> dict[str, float]:
    """All three runs, and the ratios between them."""
    with receiver() as endpoint:
        live = run_apart(min(seconds, LONGEST_BASELINE_S), rate, endpoint)
    runs = {"live": live, "memory": run_apart(seconds, rate, endpoint)}
    with tempfile.TemporaryDirectory() as folder:
        runs["spool"] = run_apart(seconds, rate, endpoint, folder)
        spool_mib = sum(file.stat().st_size for file in Path(folder).iterdir()) / MIB
    found = {f"{name}_{key}": value for name, run in runs.items() for key, value in asdict(run).items()}
    for name in ("memory", "spool"):
        for percentile in ("p50", "p99", "p999"):
            ratio = found[f"{name}_{percentile}_us"] / found[f"live_{percentile}_us"]
            found[f"{name}_{percentile}_ratio"] = ratio
    return {**found, "spool_dir_mib": spool_mib, "spool_limit_mib": SPOOL_BYTES / MIB}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="A steady load into a receiver that is not there.")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--seconds", type=float, default=600, help="length of a run")
    parser.add_argument("--rate", type=int, default=1000, help="traces a second")
    parser.add_argument("--load", help=argparse.SUPPRESS)
    parser.add_argument("--spool", default="", help=argparse.SUPPRESS)
    wanted = parser.parse_args()
    if wanted.load:
        spool = {"spool_dir": wanted.spool, "max_spool_bytes": SPOOL_BYTES} if wanted.spool else {}
        ragvigil.configure(service_name="load", endpoint=wanted.load, secret_key=b"k" * 16, **spool)
        print(json.dumps(asdict(load(wanted.seconds, wanted.rate))))
    else:
        found = measure(wanted.seconds, wanted.rate)
        print(json.dumps(found) if wanted.json else "\n".join(f"{name:24} {n:12.3f}" for name, n in found.items()))


if __name__ == "__main__":
    main()
