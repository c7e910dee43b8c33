from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from ragvigil_monitor.demo.agenda import Agenda

START = datetime(2026, 11, 30, tzinfo=UTC)


@dataclass(frozen=True)
class Happening:
    at: datetime
    name: str


def at(minute: float, name: str) -> Happening:
    return Happening(START + timedelta(minutes=minute), name)


@given(planned=st.lists(st.integers(0, 60), min_size=1), delays=st.lists(st.integers(0, 30), max_size=8))
def test_everything_happens_in_order_of_time_and_nothing_after_the_last_planned(
    planned: list[int], delays: list[int]
) -> None:
    agenda: Agenda[Happening, Happening] = Agenda([at(minute, "planned") for minute in sorted(planned)])
    seen, expected = [], 0
    for event in agenda.events():
        seen.append(event.at)
        if event.name == "planned":
            for delay in delays:
                agenda.add(Happening(event.at + timedelta(minutes=delay), "following"))
                expected += event.at + timedelta(minutes=delay) <= START + timedelta(minutes=max(planned))
    assert seen == sorted(seen)
    assert seen[-1] == START + timedelta(minutes=max(planned))
    assert len(planned) <= len(seen) <= len(planned) + expected


def test_what_follows_may_have_followers_and_comes_before_what_is_planned_for_the_same_time() -> None:
    agenda: Agenda[Happening, Happening] = Agenda([at(0, "first"), at(2, "end")])
    seen = []
    for event in agenda.events():
        seen.append(event.name)
        if event.name == "first":
            agenda.add(at(1, "follows"))
        if event.name == "follows":
            agenda.add(at(2, "follows that"))
            agenda.add(at(2.1, "too late"))
    assert seen == ["first", "follows", "follows that", "end"]
