"""A program for the environment of alibi-detect: the permutation test of MMD² as its `MMDDrift` computes it.

`version` prints {"version": …}. `test SECONDS` reads an .npz archive from the standard input (reference n × d, current
m × d, gamma, permutations, seed) and prints {"version", "mmd2", "p"}, where p is the share of permutations that reached
mmd2. It ends itself after so many seconds, whatever became of the process that started it.
"""

import io
import json
import os
import signal
import sys
from importlib.metadata import version
from typing import Any


def main() -> None:
    """Do what the first argument says; libraries that print find no way into the answer."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    found: dict[str, str | float] = {"version": version("alibi-detect")}
    if sys.argv[1] == "test":
        signal.alarm(int(sys.argv[2]))
        found.update(tested(sys.stdin.buffer.read()))
    json.dump(found, answers)
    answers.close()


def tested(request: bytes) -> dict[str, float]:
    """The statistic and alibi-detect's own p value, for a request as `main` reads it."""
    import numpy as np
    import torch

    given = np.load(io.BytesIO(request), allow_pickle=False)
    torch.manual_seed(int(given["seed"]))
    detector = detector_of(given["reference"], float(given["gamma"]), int(given["permutations"]))
    found = detector.predict(given["current"])["data"]
    return {"mmd2": float(found["distance"]), "p": float(found["p_val"])}


def detector_of(reference: Any, gamma: float, permutations: int) -> Any:
    """An `MMDDrift` with the kernel exp(-γ ‖x - y‖²); alibi-detect writes γ as 1 / (2 σ²)."""
    import numpy as np
    from alibi_detect.cd import MMDDrift

    sigma = np.array([(1 / (2 * gamma)) ** 0.5])
    return MMDDrift(
        reference,
        backend="pytorch",
        sigma=sigma,
        configure_kernel_from_x_ref=False,
        n_permutations=permutations,
        device="cpu",
    )


if __name__ == "__main__":
    main()
