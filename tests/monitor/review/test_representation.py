"""Whether the drawn retrievals stand for all of them."""

from typing import Any

import numpy as np
import pytest

from ragvigil_monitor.review.representation import held, unprobed, unrepresented

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


@pytest.mark.parametrize(
    ("others", "expected"),
    [(2700, None), (2950, None), (4500, "filter_probe")],
    ids=["as designed", "by chance", "45 % of probes lost"],
)
def test_nine_tenths_of_the_filtered_need_a_probe(others: int, expected: str | None) -> None:
    counts = {"filter_probe": 300, "not_probed": others, "unfiltered": 3000}
    assert unprobed(counts, drawn(300, "filter_probe", sampling=0.1)) == expected


def test_filters_that_are_hardly_used_need_no_probe() -> None:
    assert unprobed({"filter_probe": 0, "not_probed": 2, "unfiltered": 300}, []) is None


def test_retrievals_without_a_probe_have_documents_as_often_as_those_with_one() -> None:
    counts = {"filter_probe": 80, "probed_documents_not_found": 20, "not_probed": 900, "unfiltered": 5}
    assert held(counts) == {"filter_probe": 800, "unfiltered": 5}
    assert held({"not_probed": 7}) == {"filter_probe": 7, "unfiltered": 0}


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
