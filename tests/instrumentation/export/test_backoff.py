"""Waiting times between attempts."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragvigil.export.backoff import Backoff


def test_it_doubles_up_to_its_maximum() -> None:
    backoff = Backoff(initial_s=1.0, maximum_s=8.0, chance=random.Random(1))
    waits = [backoff.next_s(None) for _ in range(6)]
    for wait, ceiling in zip(waits, [1, 2, 4, 8, 8, 8], strict=True):
        assert ceiling / 2 <= wait <= ceiling


def test_it_begins_anew_after_a_success() -> None:
    backoff = Backoff(initial_s=1.0, maximum_s=8.0, chance=random.Random(1))
    for _ in range(5):
        backoff.next_s(None)
    backoff.reset()
    assert backoff.next_s(None) <= 1.0


@pytest.mark.parametrize(("asked", "least"), [(5.0, 5.0), (0.0, 0.5), (1e9, 8.0)])
def test_the_receiver_is_obeyed_within_bounds(asked: float, least: float) -> None:
    wait = Backoff(initial_s=1.0, maximum_s=8.0, chance=random.Random(1)).next_s(asked)
    assert least <= wait <= 8.0


@given(st.integers(0, 10_000), st.integers())
def test_it_never_overflows(attempts: int, seed: int) -> None:
    backoff = Backoff(chance=random.Random(seed), attempts=attempts)
    assert 0.5 <= backoff.next_s(None) <= 30.0


def test_two_processes_do_not_wait_alike() -> None:
    assert Backoff().next_s(None) != Backoff().next_s(None)
