"""The whole design by simulation: probes of a tenth, reviewers who stop early, and intervals that hold the truth."""

from collections import defaultdict
from datetime import date, timedelta
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ragvigil_monitor.review.false_exclusion import exclusion_rate
from ragvigil_monitor.statistics.hajek import uniform_rate

DAYS, PER_DAY, RUNS = 28, 600, 100
FILTERED_SHARE, PROBED, UNFILTERED_DRAWN, WITH_EVIDENCE = 0.5, 0.10, 0.01, 0.85
FIRST_DAY = date(2026, 11, 2)

Flags = NDArray[np.bool_]


def population(rng: np.random.Generator, truth: float) -> tuple[Flags, Flags, Flags]:
    """Per retrieval: filtered, with evidence, excluded. Days differ: their rates vary by half of the truth."""
    shape = (DAYS, PER_DAY)
    is_filtered = rng.random(shape) < FILTERED_SHARE
    has_evidence = rng.random(shape) < WITH_EVIDENCE
    day_rates = rng.uniform(0.5 * truth, 1.5 * truth, (DAYS, 1))
    return is_filtered, has_evidence, is_filtered & has_evidence & (rng.random(shape) < day_rates)


def drawn(rng: np.random.Generator, is_filtered: Flags) -> list[dict[str, Any]]:
    """The drawn retrievals as `reviews_between` has them, as far as reviewers come on each day."""
    share = np.where(is_filtered, 1.0, UNFILTERED_DRAWN)
    priority = rng.random(is_filtered.shape) / share
    is_drawn = (priority < 1) & (~is_filtered | (rng.random(is_filtered.shape) < PROBED))
    rows = []
    for day, number in zip(*np.nonzero(is_drawn), strict=True):
        filtered = bool(is_filtered[day, number])
        rows.append(
            {
                "item_id": f"{day}-{number}",
                "started_on": FIRST_DAY + timedelta(days=int(day)),
                "stratum": "filter_probe" if filtered else "unfiltered",
                "probability": 1.0 if filtered else UNFILTERED_DRAWN,
                "priority": float(priority[day, number]),
                "sampling_probability": PROBED if filtered else 1.0,
                "recorded": 1.0,
                "first_label": None,
                "is_skipped": False,
                "is_held": False,
            }
        )
    return rows


def serve(rng: np.random.Generator, rows: list[dict[str, Any]]) -> None:
    """Each day reviewers label what the less served stratum holds, by priority, and stop when they like."""
    days: defaultdict[date, list[dict[str, Any]]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: -float(row["priority"])):
        days[row["started_on"]].append(row)
    for of_day in days.values():
        waiting = {name: [row for row in of_day if row["stratum"] == name] for name in ("filter_probe", "unfiltered")}
        served = dict.fromkeys(waiting, 0)
        for _ in range(rng.integers(0, len(of_day) + 10)):
            left = [name for name in waiting if waiting[name]]
            if left:
                chosen = min(left, key=served.__getitem__)
                waiting[chosen].pop()["first_label"] = "labelled"
                served[chosen] += 1


def outcomes(rows: list[dict[str, Any]], has_evidence: Flags, is_excluded: Flags) -> dict[str, dict[str, Any]]:
    """What the labels mean: reviewers of documents do not err here."""
    found = {}
    for row in rows:
        if row["first_label"] is not None:
            place = tuple(int(part) for part in row["item_id"].split("-"))
            found[row["item_id"]] = {
                "has_evidence": bool(has_evidence[place]),
                "is_excluded": bool(is_excluded[place]),
                "is_filtered": row["stratum"] == "filter_probe",
                "depth": 20,
                "unknown_because": None,
            }
    return found


def covered(rng: np.random.Generator, truth: float) -> tuple[bool, bool, bool]:
    """Whether the 95 % intervals of `all` and `filtered` hold the true rates of four simulated weeks.

    Last: whether that of `all` would do so without weights.
    """
    is_filtered, has_evidence, is_excluded = population(rng, truth)
    rows = drawn(rng, is_filtered)
    serve(rng, rows)
    meanings = outcomes(rows, has_evidence, is_excluded)
    of_filtered = [row for row in rows if row["stratum"] == "filter_probe"]
    held = {"filter_probe": float(is_filtered.sum()), "unfiltered": float((~is_filtered).sum())}
    every, filtered = (exclusion_rate(own, meanings, held).rate for own in (rows, of_filtered))
    true_every = is_excluded.sum() / has_evidence.sum()
    pooled = [each["is_excluded"] for each in meanings.values() if each["has_evidence"]]
    return (
        holds((every.lower, every.upper), true_every),
        holds((filtered.lower, filtered.upper), is_excluded.sum() / (has_evidence & is_filtered).sum()),
        holds(uniform_rate(sum(pooled), len(pooled)), true_every),
    )


def holds(bounds: tuple[float | None, float | None], truth: float) -> bool:
    lower, upper = bounds
    assert lower is not None
    assert upper is not None
    return lower <= truth <= upper


@pytest.mark.parametrize("truth", [0.02, 0.05, 0.1, 0.25])
def test_the_intervals_of_both_rates_hold_the_truth_and_need_their_weights(truth: float) -> None:
    rng = np.random.default_rng(round(1000 * truth))
    every, filtered, pooled = np.array([covered(rng, truth) for _ in range(RUNS)]).sum(axis=0)
    print(f"truth {truth}: all {every}, filtered {filtered}, all without weights {pooled} of {RUNS}")
    assert min(every, filtered) >= 0.94 * RUNS
    assert pooled < 0.94 * RUNS
