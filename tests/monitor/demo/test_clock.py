from datetime import UTC, datetime, timedelta, timezone

import pytest

from ragvigil_monitor.demo.clock import SimulatedClock

NOON = datetime(2026, 11, 30, 12, 0, 0, 123456, tzinfo=UTC)


def test_stands_still_until_someone_waits() -> None:
    clock = SimulatedClock(NOON)
    before = (clock.wall_ns(), clock.monotonic_ns())
    assert (clock.wall_ns(), clock.monotonic_ns()) == before
    clock.wait_ms(1.5)
    assert (clock.wall_ns() - before[0], clock.monotonic_ns() - before[1]) == (1_500_000, 1_500_000)


def test_shows_the_moment_to_the_microsecond_in_any_zone() -> None:
    assert SimulatedClock(NOON).wall_ns() == 1_796_040_000_123_456_000
    tokyo = NOON.astimezone(timezone(timedelta(hours=9)))
    assert SimulatedClock(tokyo).wall_ns() == SimulatedClock(NOON).wall_ns()


def test_moving_back_never_makes_a_duration_negative() -> None:
    clock = SimulatedClock(NOON)
    clock.wait_ms(10)
    before = clock.monotonic_ns()
    clock.move_to(NOON - timedelta(days=1))
    assert clock.monotonic_ns() == before
    assert clock.wall_ns() < SimulatedClock(NOON).wall_ns()


def test_waits_until_a_moment_that_is_to_come_and_not_for_one_that_is_past() -> None:
    clock = SimulatedClock(NOON)
    clock.wait_until(NOON + timedelta(minutes=5))
    assert clock.wall_ns() == SimulatedClock(NOON + timedelta(minutes=5)).wall_ns()
    clock.wait_until(NOON)
    assert clock.wall_ns() == SimulatedClock(NOON + timedelta(minutes=5)).wall_ns()


def test_a_naive_moment_is_refused() -> None:
    with pytest.raises(TypeError):
        SimulatedClock(datetime(2026, 1, 1))  # noqa: DTZ001 - the point
