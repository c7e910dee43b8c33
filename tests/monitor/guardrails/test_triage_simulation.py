"""How often a triage is right; `python -m tests.simulations` prints the whole table."""

import pytest
from tests.simulations.onsets import Incident, World, coverage, shares

WORLDS = {"correlated": World(correlation=0.01), "wandering": World(correlation=0.003, wandering=0.15)}
TIMES = 120


@pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS)
def test_when_a_release_did_it_drift_is_hardly_ever_suspected(world: World) -> None:
    found = shares(world, Incident("a release", 2.0, age_h=24), times=TIMES, seed=11)
    assert found["no onset"] <= 0.05
    assert found["regression-suspected"] >= 0.75
    assert found.get("drift-suspected", 0.0) <= 0.05


@pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS)
def test_when_nothing_was_released_near_it_a_regression_is_hardly_ever_suspected(world: World) -> None:
    found = shares(world, Incident("no release near", 2.0, age_h=24), times=TIMES, seed=12)
    assert found.get("regression-suspected", 0.0) <= 0.05
    assert found["drift-suspected"] >= 0.80


def test_three_unrelated_releases_a_week_are_suspected_about_as_often_as_chance_puts_them_there() -> None:
    """One lies in a given span of three to five hours with probability 5 to 9 %."""
    found = shares(WORLDS["wandering"], Incident("no release", 2.0, age_h=24), times=200, seed=13)
    assert found.get("regression-suspected", 0.0) <= 0.18


def test_hours_without_a_step_are_hardly_ever_triaged() -> None:
    found = shares(WORLDS["wandering"], Incident("no step", 1.0, age_h=24), times=200, seed=14)
    assert found["no onset"] >= 0.96


def test_the_interval_that_is_shown_holds_the_step_as_often_as_it_says() -> None:
    held = coverage(WORLDS["correlated"], Incident("no release", 2.0, age_h=24), times=200, seed=15)
    assert held >= 0.80
