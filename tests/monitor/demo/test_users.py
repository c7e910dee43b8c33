from collections import Counter, defaultdict
from datetime import datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragvigil_monitor.demo.access import TEAMS
from ragvigil_monitor.demo.users import PEOPLE, Visit, visits

SIX_WEEKS = timedelta(days=42)


@pytest.fixture(scope="module")
def six_weeks() -> list[Visit]:
    end = datetime.fromisoformat("2026-11-30T12:34:56+00:00")
    return list(visits(end - SIX_WEEKS, end, 60_000, seed=7))


@pytest.mark.parametrize("seed", range(1, 6))
def test_six_weeks_have_sixty_thousand_answers(now: datetime, seed: int) -> None:
    count = sum(1 for _ in visits(now - SIX_WEEKS, now, 60_000, seed=seed))
    assert 57_000 <= count <= 63_000


def test_visits_are_numbered_in_order_of_time_inside_the_run(six_weeks: list[Visit]) -> None:
    assert [visit.number for visit in six_weeks] == list(range(len(six_weeks)))
    assert all(one.at <= two.at for one, two in pairwise(six_weeks))
    assert six_weeks[-1].at - six_weeks[0].at < SIX_WEEKS


def test_a_session_is_one_person_within_minutes(six_weeks: list[Visit]) -> None:
    sessions = defaultdict(list)
    for visit in six_weeks:
        sessions[visit.session_id].append(visit)
    assert all(len({(visit.user_id, visit.team) for visit in session}) == 1 for session in sessions.values())
    mean = len(six_weeks) / len(sessions)
    assert mean == pytest.approx(1.8, abs=0.05)
    lengths = sorted(session[-1].at - session[0].at for session in sessions.values())
    assert lengths[int(len(lengths) * 0.99)] < timedelta(minutes=20)


def test_everyone_is_in_one_team_and_all_teams_come(six_weeks: list[Visit]) -> None:
    team_of = {visit.user_id: visit.team for visit in six_weeks}
    assert len(team_of) == PEOPLE
    assert all(team_of[visit.user_id] == visit.team for visit in six_weeks)
    assert set(Counter(team_of.values()).values()) == {PEOPLE // len(TEAMS)}


def test_weekends_and_nights_are_quiet(six_weeks: list[Visit]) -> None:
    by_day = Counter(visit.at.weekday() for visit in six_weeks)
    by_hour = Counter(visit.at.hour for visit in six_weeks)
    assert by_day[5] < 0.5 * by_day[2]
    assert by_hour[3] < 0.15 * by_hour[10]


def test_the_same_seed_gives_the_same_visits_and_another_one_others(now: datetime) -> None:
    start = now - timedelta(days=2)
    one, again, other = (list(visits(start, now, 300, seed=seed)) for seed in (1, 1, 2))
    assert one == again
    assert [visit.at for visit in one] != [visit.at for visit in other]


def test_even_one_answer_can_be_asked_for(now: datetime) -> None:
    assert list(visits(now - timedelta(days=1), now, 1, seed=0))


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    hours=st.floats(0.2, 24 * 10),
    answers=st.integers(1, 400),
    offset_h=st.floats(0, 24 * 14),
)
def test_any_run_has_its_visits_in_order_inside_it(seed: int, hours: float, answers: int, offset_h: float) -> None:
    start = datetime.fromisoformat("2026-10-05T00:00:00+00:00") + timedelta(hours=offset_h)
    end = start + timedelta(hours=hours)
    drawn = list(visits(start, end, answers, seed=seed))
    assert [visit.number for visit in drawn] == list(range(len(drawn)))
    assert all(one.at <= two.at for one, two in pairwise(drawn))
    assert all(start <= visit.at < end for visit in drawn)
    assert all(visit.team in TEAMS for visit in drawn)


def test_volume_varies_little_from_seed_to_seed(now: datetime) -> None:
    counts = [sum(1 for _ in visits(now - timedelta(days=7), now, 4000, seed=seed)) for seed in range(12)]
    assert all(3600 <= count <= 4400 for count in counts)
    assert sum(counts) / len(counts) == pytest.approx(4000, rel=0.03)
