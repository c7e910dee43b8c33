import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragvigil_monitor.statistics.hourly_counts import HourlyCounts
from ragvigil_monitor.statistics.overdispersion import LARGEST, least, overdispersion, trailing_sums

HOURS = 672
RATE = 0.1


def history(rng: np.random.Generator, kappa: float, n: float = 200, hours: int = HOURS) -> HourlyCounts:
    totals = rng.poisson(n, hours)
    rates = rng.beta(RATE * (1 / kappa - 1), (1 - RATE) * (1 / kappa - 1), hours) if kappa else np.full(hours, RATE)
    events = rng.binomial(totals, rates)
    return HourlyCounts(events.astype(float), totals.astype(float), np.zeros(hours, dtype=np.intp))


def fitted(counts: HourlyCounts, scale: int = 1) -> float:
    return overdispersion(counts, np.full(len(counts), RATE), scale=scale)


@pytest.mark.parametrize("kappa", [0.005, 0.02, 0.08])
def test_the_planted_overdispersion_is_found(kappa: float) -> None:
    found = [fitted(history(np.random.default_rng(seed), kappa)) for seed in range(20)]
    assert np.median(found) == pytest.approx(kappa, rel=0.15)


@pytest.mark.parametrize("scale", [6, 24])
def test_where_hours_vary_independently_windows_vary_by_the_same_kappa(scale: int) -> None:
    """The concentration H of a window carries the difference: its variance is that of the hours over their number."""
    found = [fitted(history(np.random.default_rng(seed), 0.02), scale) for seed in range(20)]
    assert np.median(found) == pytest.approx(0.02, rel=0.25)


def test_where_whole_days_vary_together_the_longer_scale_knows() -> None:
    rng = np.random.default_rng(1)
    by_day = np.repeat(rng.beta(RATE * 99, (1 - RATE) * 99, HOURS // 24), 24)
    totals = rng.poisson(200, HOURS)
    counts = HourlyCounts(
        rng.binomial(totals, by_day).astype(float), totals.astype(float), np.zeros(HOURS, dtype=np.intp)
    )
    assert fitted(counts, 24) > 8 * fitted(counts, 1)


def test_chance_alone_gives_the_floor() -> None:
    found = [fitted(history(np.random.default_rng(seed), 0.0)) for seed in range(10)]
    assert np.median(found) == pytest.approx(least(RATE), rel=0.2)


def test_an_incident_that_nobody_labelled_does_not_blind_it() -> None:
    rng = np.random.default_rng(2)
    counts = history(rng, 0.005)
    with_incident = HourlyCounts(counts.events.copy(), counts.totals, counts.cells)
    with_incident.events[300:324] = rng.binomial(counts.totals[300:324].astype(int), 0.6)
    assert fitted(with_incident) == pytest.approx(fitted(counts), rel=0.1)


@pytest.mark.parametrize("totals", [0.0, 1.0], ids=["no traffic", "one answer an hour"])
def test_without_windows_that_tell_anything_it_is_the_floor(totals: float) -> None:
    counts = HourlyCounts(np.zeros(HOURS), np.full(HOURS, totals), np.zeros(HOURS, dtype=np.intp))
    assert fitted(counts) == pytest.approx(least(RATE if totals else 0.0))


@given(
    hours=st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=24, max_size=60),
    scale=st.integers(1, 24),
)
def test_it_is_always_between_the_floor_and_a_half(hours: list[tuple[int, int]], scale: int) -> None:
    events, rest = (np.array(column, dtype=float) for column in zip(*hours, strict=True))
    counts = HourlyCounts(events, events + rest, np.zeros(len(hours), dtype=np.intp))
    found = fitted(counts, scale)
    assert 0 <= found <= LARGEST
    assert not counts.totals.any() or found >= least(RATE) * (1 - 1e-9)


@pytest.mark.parametrize("rate", [0.0, 0.5, 0.98, 0.999, 1 - 1e-16, 1.0])
def test_the_floor_is_never_more_than_a_half(rate: float) -> None:
    assert 0 <= least(rate) <= LARGEST


def test_windows_lie_wholly_inside() -> None:
    assert trailing_sums(np.arange(5.0), 3) == pytest.approx([3, 6, 9])
    assert len(trailing_sums(np.arange(5.0), 6)) == 0
