"""A thousand traces a second into a receiver that is not there: memory stays flat, and no request is delayed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARK = Path(__file__).parents[1] / "benchmarks" / "unreachable.py"
SECONDS = 20
RUNS = ("memory", "spool")
MOST_GROWTH_MIB = 8.0
MOST_P50_RATIO = 3.0
MOST_P99_RATIO = 50.0
"""One that waits for a receiver, or for a disk, takes a thousand times as long; a busy machine takes ten times."""
QUEUE_SPANS = 3 * 1000


@pytest.fixture(scope="module")
def found() -> dict[str, float]:
    """The figures of a short run of the measurement."""
    command = [sys.executable, str(BENCHMARK), "--json", "--seconds", str(SECONDS)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=250)
    return dict(json.loads(done.stdout))


@pytest.mark.slow
@pytest.mark.parametrize("run", RUNS)
def test_memory_is_flat_after_warm_up(found: dict[str, float], run: str) -> None:
    assert found[f"{run}_traces_per_s"] > 500, "the machine is too busy for this load"
    assert found[f"{run}_growth_mib"] < max(MOST_GROWTH_MIB, 0.1 * found[f"{run}_warm_mib"])


@pytest.mark.slow
@pytest.mark.parametrize("run", RUNS)
def test_requests_are_as_quick_as_with_a_receiver(found: dict[str, float], run: str) -> None:
    assert found[f"{run}_p50_ratio"] < MOST_P50_RATIO
    assert found[f"{run}_p99_ratio"] < MOST_P99_RATIO


@pytest.mark.slow
def test_every_span_is_accounted_for(found: dict[str, float]) -> None:
    assert found["spool_waiting"] == 0
    assert found["spool_exported"] == found["memory_exported"] == found["memory_spooled"] == 0
    assert 0 <= found["memory_waiting"] <= QUEUE_SPANS
    assert found["memory_dropped"] == 3 * 1000 * SECONDS - found["memory_waiting"]
    assert found["spool_spooled"] + found["spool_dropped"] == 3 * 1000 * SECONDS


@pytest.mark.slow
def test_the_spool_stays_within_its_limit_and_holds_the_newest(found: dict[str, float]) -> None:
    assert found["spool_dir_mib"] <= found["spool_limit_mib"]
    assert found["spool_dir_mib"] > found["spool_limit_mib"] / 2
    assert found["spool_evicted"] > 0.9 * found["spool_dropped"]
