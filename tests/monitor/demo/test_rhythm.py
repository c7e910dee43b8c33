from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragvigil_monitor.demo.rhythm import draw_times, load

MONDAY = datetime(2026, 11, 2, tzinfo=UTC)


def test_days_are_busier_than_nights_and_weekends() -> None:
    noon, night = MONDAY + timedelta(hours=10), MONDAY + timedelta(hours=2)
    assert load(noon) == 1.0
    assert load(night) < 0.1
    assert load(noon + timedelta(days=5)) == pytest.approx(0.35)


def test_load_is_by_utc_whatever_the_zone_says() -> None:
    noon = MONDAY + timedelta(hours=10)
    assert load(noon.astimezone(timezone(timedelta(hours=9)))) == load(noon)


def test_times_follow_the_load() -> None:
    weeks = 4
    times = draw_times(MONDAY, MONDAY + timedelta(weeks=weeks), 200_000, np.random.default_rng(1))
    hour_of_week = (times // 3600 % 168).astype(int)
    observed = np.bincount(hour_of_week, minlength=168) / len(times)
    expected = np.array([load(MONDAY + timedelta(hours=hour)) for hour in range(168)])
    np.testing.assert_allclose(observed, expected / expected.sum(), atol=0.001)


@given(
    minutes=st.integers(0, 60 * 24 * 14),
    length_s=st.floats(1, 86400 * 3),
    count=st.integers(0, 50),
)
def test_times_are_ascending_and_inside(minutes: int, length_s: float, count: int) -> None:
    start = MONDAY + timedelta(minutes=minutes)
    times = draw_times(start, start + timedelta(seconds=length_s), count, np.random.default_rng(0))
    assert len(times) == count
    assert (np.diff(times) >= 0).all()
    assert ((times >= 0) & (times <= length_s)).all()
