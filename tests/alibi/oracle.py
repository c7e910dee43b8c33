"""Runs in the environment of alibi-detect: answers questions about its `MMDDrift`, one JSON object a line.

It uses the worker that the monitor ships. What it adds is the source of the permutations, and a record of the
statistic of each permutation before alibi-detect rounds it to float32.
"""

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from alibi_detect.cd import MMDDrift
from alibi_detect.cd.pytorch import mmd

sys.path.insert(0, sys.argv[1])
import alibi_worker  # type: ignore[import-not-found] # lies in the folder that was just named


def compared(path: str) -> dict[str, Any]:
    """alibi-detect's test with the given permutations: rows of indices, those of the current sample last."""
    given = np.load(path, allow_pickle=False)
    statistics: list[float] = []
    in_turn = iter(torch.from_numpy(given["orders"]))
    computed, random_order = mmd.mmd2_from_kernel_matrix, torch.randperm

    def recorded(*args: Any, **kwargs: Any) -> Any:
        found = computed(*args, **kwargs)
        statistics.append(found.item())
        return found

    mmd.mmd2_from_kernel_matrix, torch.randperm = recorded, lambda _length: next(in_turn)
    try:
        detector = alibi_worker.detector_of(given["reference"], float(given["gamma"]), len(given["orders"]))
        found = detector.predict(given["current"])["data"]
    finally:
        mmd.mmd2_from_kernel_matrix, torch.randperm = computed, random_order
    return {"mmd2": float(found["distance"]), "p": float(found["p_val"]), "permuted": statistics[1:]}


def inferred_gamma(path: str) -> dict[str, float]:
    """γ of the bandwidth that alibi-detect infers from all points."""
    detector = MMDDrift(np.load(path)["points"], backend="pytorch", n_permutations=1, device="cpu")
    return {"gamma": float(1 / (2 * detector._detector.kernel.sigma.double() ** 2))}


def says_drift(path: str) -> dict[str, Any]:
    """What alibi-detect makes of data that our side would refuse."""
    given = np.load(path)
    found = alibi_worker.detector_of(given["reference"], 1.0, 20).predict(given["current"])["data"]
    return {"p": float(found["p_val"]), "is_drift": int(found["is_drift"])}


def rejections(n: int, m: int, dimension: int, permutations: int, runs: int, seed: int) -> dict[str, int]:
    """How many of so many pairs of samples of one distribution have p <= .05 after the conversion."""
    torch.manual_seed(seed)
    ps = [_null_p(points, n, permutations) for points in _null_points(n + m, dimension, runs, seed)]
    return {"rejected": sum(p <= 0.05 for p in ps)}


def _null_points(rows: int, dimension: int, runs: int, seed: int) -> Iterator[Any]:
    rng = np.random.default_rng(seed)
    for _ in range(runs):
        points = rng.normal(size=(rows, dimension))
        yield points / np.linalg.norm(points, axis=1)[:, None]


def _null_p(points: Any, n: int, permutations: int) -> float:
    found = alibi_worker.detector_of(points[:n], 0.5, permutations).predict(points[n:])["data"]
    return float((permutations * found["p_val"] + 1) / (permutations + 1))


def cpu_s(path: str, permutations: int) -> dict[str, float]:
    """CPU of one test on one thread, without start-up and reading."""
    given = np.load(path)
    reference, current, gamma = given["reference"], given["current"], float(given["gamma"])
    began = time.process_time()
    alibi_worker.detector_of(reference, gamma, permutations).predict(current)
    return {"cpu_s": time.process_time() - began}


QUESTIONS = {each.__name__: each for each in (compared, inferred_gamma, says_drift, rejections, cpu_s)}


def main() -> None:
    """Answer until the input ends."""
    print(json.dumps({"ready": Path(sys.executable).name}), flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        print(json.dumps(QUESTIONS[asked.pop("question")](**asked)), flush=True)


if __name__ == "__main__":
    main()
