"""How much more CPU alibi-detect takes for the permutation test of MMD²: `python tests/benchmarks/drift.py [--json]`.

Both sides get the same vectors and bandwidth, use one thread, and take turns; starting up does not count. Unless
`--whole` is given, alibi-detect runs a tenth of the permutations: its cost is that of one permutation, plus ten times
what the others add to it. Its loop is linear in their number.
"""

import argparse
import json
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np
from tests.samples.alibi import PYTHON, Oracle, running_oracle

from ragvigil_monitor.statistics.mmd_permutation import mmd_test
from ragvigil_monitor.statistics.rbf_kernel import median_gamma
from ragvigil_monitor.statistics.usable_vectors import usable_vectors

PERMUTATIONS = 1_000


def sides(n: int, dimension: int) -> dict[str, Any]:
    """n vectors on each side, and the bandwidth of both together."""
    points = usable_vectors(np.random.default_rng(0).normal(size=(2 * n, dimension))).unit
    return {"reference": points[:n], "current": points[n:], "gamma": median_gamma(points)}


def ours_s(arrays: dict[str, Any]) -> float:
    """CPU of our test."""
    began = time.process_time()
    mmd_test(**arrays, permutations=PERMUTATIONS)
    return time.process_time() - began


def theirs_s(oracle: Oracle, arrays: dict[str, Any], *, whole: bool) -> float:
    """CPU of the test by alibi-detect."""

    def taken(permutations: int) -> float:
        return float(oracle.ask_about("cpu_s", arrays, permutations=permutations)["cpu_s"])

    if whole:
        return taken(PERMUTATIONS)
    first = taken(1)
    return first + 10 * (taken(1 + PERMUTATIONS // 10) - first)


def measure(n: int, dimension: int, rounds: int, *, whole: bool) -> dict[str, float]:
    """Medians over alternating rounds, after one that does not count."""
    arrays = sides(n, dimension)
    with running_oracle() as oracle:
        oracle.ask_about("cpu_s", arrays, permutations=1)
        ours_s(arrays)
        pairs = [(ours_s(arrays), theirs_s(oracle, arrays, whole=whole)) for _ in range(rounds)]
    return {
        "mmd_ratio": median(theirs / ours for ours, theirs in pairs),
        "mmd_ratio_lowest": min(theirs / ours for ours, theirs in pairs),
        "ours_cpu_ms": 1000 * median(ours for ours, _ in pairs),
        "alibi_cpu_ms": 1000 * median(theirs for _, theirs in pairs),
    }


def main() -> None:
    """Measure and print; where there is no environment of alibi-detect, say so."""
    parser = argparse.ArgumentParser(description="CPU of the permutation test, beside alibi-detect.")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--n", type=int, default=1_000, help="vectors on each side")
    parser.add_argument("--dimension", type=int, default=384)
    parser.add_argument("--rounds", type=int, default=3, help="rounds that count")
    parser.add_argument("--whole", action="store_true", help="all permutations by alibi-detect too, for minutes")
    wanted = parser.parse_args()
    if not PYTHON.exists():
        print("alibi-detect is not compared: there is no .venv-alibi; `make setup-alibi` builds it.", file=sys.stderr)
        return
    found = measure(wanted.n, wanted.dimension, wanted.rounds, whole=wanted.whole)
    print(json.dumps(found) if wanted.json else "\n".join(f"{key:24} {value:10.3f}" for key, value in found.items()))


if __name__ == "__main__":
    main()
