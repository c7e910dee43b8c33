"""How long everything takes that pages and jobs ask of a large store, and how much memory that costs.

usage: python tests/benchmarks/queries.py [--json] [--answers N] [--runs N] [--keep DIR]

Two stores with the same traffic an hour: 60 days of it, and the last 6. Every route that a page asks and every job is
run through its own code, with limits so low that every guardrail is in breach and gathers its evidence.
`growth_ratio`: the largest ratio between both stores of what a question takes, asked for the same, over the questions
that look back six days at most and take at least 20 ms. `slowest_p95_s` leaves out what fits a drift
reference, which streams. `serve_rss_mb`: the peak of a real `ragvigil serve` on the large store that has answered every
page and run its jobs.
"""

import argparse
import json
import statistics
import sys
import time
from collections import defaultdict
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.benchmarks._kept_stores import Stores, stores
from tests.benchmarks._large_store import DAY, HOUR, JOBS_BEHIND
from tests.benchmarks._pages import ask_pages, review
from tests.benchmarks._progress import Progress
from tests.benchmarks._timed_store import Asked, TimedStore, Times
from tests.samples.process_tree import peak_mb
from tests.samples.servers import running_api, running_service

from ragvigil_monitor.cli.processes import start_serve
from ragvigil_monitor.keys import Keys, Role
from ragvigil_monitor.schedule import run_due

LARGE_DAYS = 60
SMALL_DAYS = 6
FLOOR_S = 0.02
"""Below this a median is noise."""
STREAMING = {"query_vectors_between", "add_drift_sample", "add_drift_reference"}
"""Questions of the fit of a drift reference."""
STRICT: dict[str, Any] = {
    "guardrails": {
        "latency_p95": {"slo_ms": dict.fromkeys(("answer", "retrieve", "generate"), 1.0), "windows_h": [1, 24, 168]},
        "cost_per_query": {"budget_usd": {"mean": 1e-6, "p99": 1e-6}, "windows_h": [24, 168]},
        "faithfulness": {"limit": 0.99},
    },
    "retention": {"enabled": False},
}
"""Limits that everything breaks."""


def measured(path: Path, end: datetime, runs: int) -> Times:
    """What every question took on one store."""
    store, times, now = TimedStore.open(path), Times(end), [end - JOBS_BEHIND]
    store.times = times
    with closing(store), running_service(store, Keys.generate(), lambda: now[0], **STRICT) as service:
        while now[0] < end:
            now[0] += HOUR / 2
            run_due(service, now[0])
        problems = store.rows("job_problems_now")
        if problems:
            raise SystemExit(f"A job failed: {problems}")
        with running_api(service) as url:
            for _ in range(runs):
                ask_pages(url, service.keys, end)
                review(url, service.keys)
    return times


def resident_mb(path: Path, end: datetime) -> float:
    """Largest resident memory of a server that ran its jobs and answered every page twice."""
    config = path.with_suffix(".yaml")
    config.write_text(json.dumps({**STRICT, "store": {"path": str(path)}, "server": {"port": 0}}), encoding="utf-8")
    serving = start_serve(config)
    try:
        for _ in range(2):
            ask_pages(serving.url, serving.keys, end, timeout_s=600)
        wait_for_jobs(serving.url, serving.keys)
        return peak_mb(serving.child.pid)
    finally:
        serving.stop()


def wait_for_jobs(url: str, keys: Keys, within_s: float = 900) -> None:
    """Until a whole run of the jobs is over: the last of them has one more run than when this began."""
    headers = {"Authorization": f"Bearer {keys.by_role[Role.ONCALL]}"}
    deadline = time.monotonic() + within_s
    with httpx.Client(base_url=url, headers=headers, timeout=120, trust_env=False) as client:
        runs = job_runs(client.get("/metrics").text)
        while job_runs(client.get("/metrics").text) < runs + 2:
            if time.monotonic() > deadline:
                raise TimeoutError(f"The jobs did not end within {within_s:g} s.")
            time.sleep(1)


def job_runs(metrics: str) -> float:
    """How often the last job of a run has been run."""
    lines = [
        line for line in metrics.splitlines() if line.startswith('ragvigil_job_duration_seconds_count{job="deliver"}')
    ]
    return float(lines[0].split()[-1]) if lines else 0.0


def p95(asked: list[Asked]) -> float:
    """The 95th percentile of what a question took, in seconds."""
    took = sorted(each.took_s for each in asked)
    return took[max(0, -(-95 * len(took) // 100) - 1)]


def growth(large: Times, small: Times) -> dict[str, float]:
    """By question: what it takes on the large store over what it takes on the small one, asked for the same.

    Both are sums of medians, one for each variant that both stores were asked: a guardrail without a history asks less.
    """
    found = {}
    for question, times in large.by_question.items():
        both = [_medians(each) for each in (times, small.by_question.get(question, []))]
        shared = both[0].keys() & both[1].keys()
        sums = [sum(each[variant] for variant in shared) for each in both]
        if shared and sums[0] / len(shared) >= FLOOR_S:
            found[question] = sums[0] / sums[1]
    return found


def _medians(asked: list[Asked]) -> dict[tuple[object, ...], float]:
    """The median of each variant that looks back no further than the small store reaches."""
    took: defaultdict[tuple[object, ...], list[float]] = defaultdict(list)
    for each in asked:
        if each.reach <= SMALL_DAYS * DAY:
            took[each.variant].append(each.took_s)
    return {variant: statistics.median(some) for variant, some in took.items()}


def measure(stores: Stores, runs: int) -> dict[str, Any]:
    """Every figure by its name; the p95 of each question, the slowest first."""
    size_gb = stores.large.stat().st_size / 1e9
    progress = Progress("queries")
    with progress.phase("large store"):
        times = measured(stores.large, stores.end, runs)
    with progress.phase("small store"):
        fewer = measured(stores.small, stores.end, runs)
    growing = growth(times, fewer)
    slowest = sorted(((p95(each), name) for name, each in times.by_question.items()), reverse=True)
    with progress.phase("serve"):
        rss_mb = resident_mb(stores.large, stores.end)
    return {
        "slowest_p95_s": max(took for took, name in slowest if name not in STREAMING),
        "growth_ratio": max(growing.values(), default=1.0),
        "serve_rss_mb": rss_mb,
        "building_s": stores.building_s,
        "store_gb": size_gb,
        "p95_s": {name: took for took, name in slowest},
        "growth": dict(sorted(growing.items(), key=lambda each: -each[1])),
        "medians_s": {
            name: [statistics.median(each.took_s for each in some.by_question[name]) for some in (times, fewer)]
            for _, name in slowest
            if name in fewer.by_question
        },
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="What pages and jobs ask of a large store.")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--answers", type=int, default=300_000, help="answers in 60 days, six spans each")
    parser.add_argument("--runs", type=int, default=5, help="how often every page is asked")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep the built stores there, and use those of before")
    wanted = parser.parse_args()
    with stores(wanted.keep, answers=wanted.answers, days=(LARGE_DAYS, SMALL_DAYS)) as made:
        found = measure(made, wanted.runs)
    if wanted.json:
        print(json.dumps(found))
        return
    plain = {key: value for key, value in found.items() if not isinstance(value, dict)}
    print("\n".join(f"{key:32} {value:12.3f}" for key, value in {**plain, **found["p95_s"]}.items()))


if __name__ == "__main__":
    main()
