"""Random ways to divide a pooled sample into a reference and a current part."""

import numpy as np
from numpy.typing import NDArray


def random_splits(n: int, m: int, count: int, *, seed: int) -> NDArray[np.float64]:
    """A column of n + m zeros and ones for each split; the m ones are its current part. Deterministic in `seed`."""
    rng = np.random.default_rng(seed)
    splits = np.zeros((n + m, count))
    for column in range(count):
        splits[rng.permutation(n + m)[:m], column] = 1.0
    return splits
