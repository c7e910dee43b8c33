"""Wherever reviewers stop, the labels they gave estimate the rate over all answers."""

from datetime import date
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragvigil_monitor.review.salt import Salt
from ragvigil_monitor.review.sampling import memberships
from ragvigil_monitor.review.weights import effective_sample, thresholds
from ragvigil_monitor.statistics.hajek import hajek_rate

MONDAY, TUESDAY = date(2026, 11, 23), date(2026, 11, 24)
SALT = Salt.from_text("a salt for simulations")


def row(item: str, priority: float, label: str | None = None, **columns: Any) -> dict[str, Any]:
    return {
        "item_id": item,
        "started_on": MONDAY,
        "stratum": "uniform",
        "probability": 0.1,
        "priority": priority,
        "sampling_probability": 1.0,
        "first_label": label,
        "is_skipped": False,
        "is_held": False,
        **columns,
    }


def test_a_queue_that_was_emptied_keeps_its_probabilities() -> None:
    rows = [row("a", 0.2, "supported"), row("b", 0.9, "partly")]
    assert [each.inclusion for each in effective_sample(rows)] == pytest.approx([0.1, 0.1])


def test_where_reviewers_stop_the_probability_shrinks_with_the_first_one_not_served() -> None:
    rows = [row("a", 0.2, "supported"), row("b", 0.4), row("c", 0.6)]
    (only,) = effective_sample(rows)
    assert only.inclusion == pytest.approx(0.1 * 0.4)
    assert thresholds(rows) == {(MONDAY, "uniform"): 0.4}


def test_a_label_beyond_the_first_one_not_served_does_not_count_yet() -> None:
    assert effective_sample([row("a", 0.2), row("b", 0.4, "partly")]) == []


def test_days_stop_on_their_own() -> None:
    rows = [row("a", 0.2, "supported", started_on=TUESDAY), row("b", 0.1)]
    assert [each.inclusion for each in effective_sample(rows)] == pytest.approx([0.1])


@pytest.mark.parametrize("state", ["is_skipped", "is_held"])
def test_what_is_skipped_or_held_is_missing_and_stops_nothing(state: str) -> None:
    missing, labelled = effective_sample([{**row("a", 0.2), state: True}, row("b", 0.4, "partly")])
    assert missing.label is None
    assert labelled.inclusion == pytest.approx(0.1)


def test_an_item_of_two_strata_is_likelier_and_counts_through_either() -> None:
    both = [
        row("a", 3.0, "partly"),
        row("a", 0.5, "partly", stratum="low_confidence", probability=0.5),
        row("b", 0.7),
    ]
    (only,) = effective_sample(both)
    assert only.inclusion == pytest.approx(1 - (1 - 0.1 * 0.7) * (1 - 0.5))
    assert not only.is_uniform


def test_a_stratum_that_did_not_take_an_item_is_not_stopped_by_it() -> None:
    assert thresholds([row("a", 1.5)]) == {}


def test_a_recording_probability_is_a_factor() -> None:
    (only,) = effective_sample([row("a", 0.2, "partly", sampling_probability=0.5)])
    assert only.inclusion == pytest.approx(0.05)


labels = st.sampled_from([None, "supported", "partly"])


@given(st.lists(st.tuples(st.floats(0, 2), labels, st.booleans(), st.floats(1e-6, 1.0)), max_size=30))
def test_an_inclusion_probability_is_one(drawn: list[tuple[float, str | None, bool, float]]) -> None:
    rows = [
        row(str(number), priority, label, is_skipped=skipped, probability=p)
        for number, (priority, label, skipped, p) in enumerate(drawn)
    ]
    for each in effective_sample(rows):
        assert 0 <= each.inclusion <= 1


def simulate(run: int, rng: np.random.Generator, n: int = 3000) -> tuple[float, Any]:
    """A week of answers, of which the unsure ones are worse; reviewers stop somewhere in each stratum on each day."""
    unsure = rng.random(n) < 0.15
    faulty = rng.random(n) < np.where(unsure, 0.3, 0.05)
    days = rng.integers(1, 8, n)
    rows = []
    for number in range(n):
        shares = {"uniform": 0.08, **({"low_confidence": 0.4} if unsure[number] else {})}
        draws = memberships(SALT, (run.to_bytes(8), number.to_bytes(8)), shares)
        if min(each.priority for each in draws) < 1:
            rows += [
                row(
                    str(number),
                    each.priority,
                    stratum=each.stratum,
                    probability=each.probability,
                    started_on=date(2026, 11, int(days[number])),
                )
                for each in draws
            ]
    serve(rows, faulty, rng)
    sample = effective_sample(rows)
    events = [each.label == "partly" for each in sample]
    return float(faulty.mean()), hajek_rate(events, np.ones(len(sample)), [each.inclusion for each in sample])


def serve(rows: list[dict[str, Any]], faulty: np.ndarray, rng: np.random.Generator) -> None:
    served: set[str] = set()
    for cell in sorted({(each["started_on"], each["stratum"]) for each in rows}):
        waiting = sorted(
            (each for each in rows if (each["started_on"], each["stratum"]) == cell and each["priority"] < 1),
            key=lambda each: float(each["priority"]),
        )
        served |= {each["item_id"] for each in waiting[: int(len(waiting) * rng.uniform(0.3, 1.2))]}
    for each in rows:
        if each["item_id"] in served:
            each["first_label"] = "partly" if faulty[int(each["item_id"])] else "supported"


def test_intervals_cover_wherever_reviewers_stop() -> None:
    """200 weeks: at least 94 of 100 intervals hold the true rate, and the estimate is not biased."""
    rng = np.random.default_rng(20_261_130)
    found = [simulate(run, rng) for run in range(200)]
    covered = sum(estimate.lower <= true <= estimate.upper for true, estimate in found)
    bias = float(np.mean([estimate.value - true for true, estimate in found]))
    print(f"{covered} of 200 cover; bias {bias:+.4f} at a rate of {np.mean([true for true, _ in found]):.3f}")
    assert covered >= 188
    assert abs(bias) < 0.006
