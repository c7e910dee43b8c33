"""Whether the drawn retrievals stand for all of them."""

from typing import Any

import numpy as np
import pytest

from ragvigil_monitor.review.representation import unrepresented

BOTH = {"filter_probe": 0, "unfiltered": 0}


def drawn(n: int, stratum: str, *, probability: float = 1.0, sampling: float = 1.0) -> list[tuple[str, float]]:
    return [(stratum, probability * sampling)] * n


PROBED = drawn(30, "filter_probe", sampling=0.1)
OTHERS = drawn(3, "unfiltered", probability=0.01)


@pytest.mark.parametrize(
    ("counts", "rows", "expected"),
    [
        ({"filter_probe": 30, "not_probed": 270, "unfiltered": 300}, PROBED + OTHERS, None),
        ({"filter_probe": 0, "not_probed": 300, "unfiltered": 300}, OTHERS, "filter_probe"),
        ({"filter_probe": 0, "probe_failed": 300, "unfiltered": 300}, OTHERS, "filter_probe"),
        ({"filter_probe": 0, "not_probed": 5, "unfiltered": 300}, OTHERS, "filter_probe"),
        ({"filter_probe": 0, "unfiltered": 300}, OTHERS, None),
        ({"filter_probe": 30, "not_probed": 270, "unfiltered": 300}, PROBED, "unfiltered"),
        ({"filter_probe": 30, "not_probed": 270, "unfiltered": 20}, PROBED, None),
        ({"filter_probe": 30, "not_probed": 270}, PROBED, "unfiltered"),
        ({"unfiltered": 300}, OTHERS, "filter_probe"),
        ({"filter_probe": 30, "not_probed": 2000, "unfiltered": 300}, PROBED + OTHERS, "filter_probe"),
        (BOTH, [], None),
        ({}, [], "filter_probe"),
    ],
    ids=[
        *("both", "no probe", "probes fail", "a few unprobed", "no filter in use", "others never drawn"),
        *("few others", "others not in the draw", "probes not in the draw", "probes off for most of the time"),
        *("no retrieval", "no draw"),
    ],
)
def test_a_part_that_nobody_draws_is_named(counts: dict[str, int], rows: Any, expected: str | None) -> None:
    assert unrepresented(counts, rows) == expected


def test_a_stratum_that_another_version_added_is_left_out() -> None:
    counts = {"filter_probe": 30, "not_probed": 270, "unfiltered": 300, "new": 50}
    assert unrepresented(counts, PROBED + OTHERS + drawn(5, "new")) is None


def test_chance_alone_rarely_looks_like_a_part_that_nobody_draws() -> None:
    rng = np.random.default_rng(4)
    named = 0
    for _ in range(1000):
        probed, others = int(rng.binomial(1000, 0.02)), int(rng.binomial(3000, 0.01))
        counts = {"filter_probe": probed, "not_probed": 1000 - probed, "unfiltered": 3000}
        rows = drawn(probed, "filter_probe", sampling=0.02) + drawn(others, "unfiltered", probability=0.01)
        named += unrepresented(counts, rows) is not None
    assert named < 20
