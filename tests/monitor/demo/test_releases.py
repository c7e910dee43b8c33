from datetime import datetime, timedelta
from itertools import pairwise

from ragvigil_monitor.demo.incidents import INCIDENTS, Planted
from ragvigil_monitor.demo.releases import ORDINARY, Release, releases


def planned(now: datetime, *, released: bool) -> tuple[tuple[Planted, ...], tuple[Release, ...]]:
    start = now - timedelta(days=42)
    planted = tuple(
        Planted(incident, start + timedelta(days=28 + day), start + timedelta(days=33 + day), released)
        for day, incident in enumerate(INCIDENTS)
    )
    return planted, releases(start, now, planted, seed=1)


def test_the_first_version_serves_from_the_start_and_each_is_new(now: datetime) -> None:
    _, planned_releases = planned(now, released=False)
    assert planned_releases[0].at == now - timedelta(days=42)
    assert len({release.version for release in planned_releases}) == len(planned_releases) == ORDINARY + 1
    assert all(one.at < two.at for one, two in pairwise(planned_releases))


def test_an_incident_with_a_release_comes_and_goes_with_a_version(now: datetime) -> None:
    planted, planned_releases = planned(now, released=True)
    moments = {release.at for release in planned_releases}
    assert {one.planted_at for one in planted} | {one.ended_at for one in planted} <= moments


def test_an_incident_that_goes_on_is_not_mended_by_a_release(now: datetime) -> None:
    going_on = Planted(INCIDENTS[0], now - timedelta(days=5), now, released=True, goes_on=True)
    moments = {release.at for release in releases(now - timedelta(days=42), now, [going_on], seed=1)}
    assert going_on.planted_at in moments
    assert now not in moments


def test_an_incident_without_a_release_leaves_no_marker(now: datetime) -> None:
    planted, planned_releases = planned(now, released=False)
    moments = {release.at for release in planned_releases}
    assert not moments & {at for one in planted for at in (one.planted_at, one.ended_at)}
