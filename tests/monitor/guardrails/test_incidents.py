from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragvigil_monitor.api.models import State
from ragvigil_monitor.guardrails.changes import Change, Incidents
from ragvigil_monitor.guardrails.finding import NOTHING, Finding
from ragvigil_monitor.guardrails.incident import Incident
from ragvigil_monitor.guardrails.standing import standings
from ragvigil_monitor.guardrails.verdict import Verdict
from ragvigil_monitor.signals.signal import Window

START = datetime(2026, 6, 1, tzinfo=UTC)
REARM = timedelta(hours=6)
OK, BREACH, NO_DATA, INCONCLUSIVE = State.OK, State.BREACH, State.NO_DATA, State.INCONCLUSIVE


def hour(number: int) -> datetime:
    return START + timedelta(hours=number)


def verdict(state: State, looked_at: datetime, series: str = "rerank") -> Verdict:
    return Verdict(Finding(series, Window(looked_at, 3600), NOTHING, state, f"{state} {looked_at:%H}"))


def run(states: Sequence[State | None], incidents: Incidents | None = None, first_hour: int = 0) -> Incidents:
    incidents = incidents or Incidents("latency_p95", REARM, {})
    for number, state in enumerate(states, first_hour):
        incidents.take([] if state is None else [verdict(state, hour(number))], hour(number))
    return incidents


def transitions(changes: list[Change]) -> list[tuple[str, datetime]]:
    return [
        (change.transition, change.incident.resolved_at or change.incident.opened_at)
        for change in changes
        if change.transition
    ]


def test_a_breach_opens_one_alert_and_keeps_it_while_it_lasts() -> None:
    changes = run([OK, BREACH, BREACH, BREACH]).finish()
    assert transitions(changes) == [("opened", hour(1))]
    assert changes[-1].incident.last_breach_at == hour(3)
    assert changes[-1].breach is not None
    assert changes[-1].breach.sentence == "breach 03"


def test_it_resolves_after_six_hours_in_control() -> None:
    changes = run([BREACH, *[OK] * 7]).finish()
    assert transitions(changes) == [("opened", hour(0)), ("resolved", hour(7))]


@pytest.mark.parametrize("unknown", [NO_DATA, INCONCLUSIVE, State.NO_POWER, State.WARMING_UP])
def test_an_unknown_state_starts_the_hours_in_control_anew(unknown: State) -> None:
    states = [BREACH, *[OK] * 6, unknown, *[OK] * 6]
    assert transitions(run(states).finish()) == [("opened", hour(0))]
    assert transitions(run([*states, OK]).finish())[-1] == ("resolved", hour(14))


def test_an_unknown_state_alone_never_resolves() -> None:
    assert transitions(run([BREACH, *[NO_DATA] * 100]).finish()) == [("opened", hour(0))]


def test_a_breach_after_it_was_resolved_is_a_new_alert() -> None:
    changes = run([BREACH, *[OK] * 7, BREACH]).finish()
    assert [name for name, _ in transitions(changes)] == ["opened", "resolved", "opened"]
    assert len({change.incident.alert_id for change in changes}) == 2


def test_a_series_that_lost_its_limit_is_resolved() -> None:
    assert transitions(run([BREACH, None]).finish()) == [("opened", hour(0)), ("resolved", hour(1))]


def test_two_series_are_two_alerts() -> None:
    incidents = Incidents("latency_p95", REARM, {})
    incidents.take([verdict(BREACH, START, "answer"), verdict(BREACH, START, "rerank")], START)
    assert [change.incident.series for change in incidents.finish() if change.transition] == ["answer", "rerank"]


def test_an_id_depends_on_the_incident_alone() -> None:
    one = Incident("latency_p95", "rerank", START, START)
    assert one.alert_id == Incident("latency_p95", "rerank", START, hour(5), hour(6), hour(9)).alert_id
    assert one.alert_id != Incident("latency_p95", "answer", START, START).alert_id
    assert len(one.alert_id) == 32


@given(states=st.lists(st.sampled_from([OK, BREACH, NO_DATA]), max_size=40), cut=st.integers(0, 40))
def test_it_makes_no_difference_where_a_run_of_looks_is_cut(states: list[State], cut: int) -> None:
    whole = run(states)
    first = run(states[:cut])
    second = run(states[cut:], Incidents("latency_p95", REARM, dict(first.open_by_series)), len(states[:cut]))
    assert transitions(first.finish()) + transitions(second.finish()) == transitions(whole.finish())
    assert second.open_by_series == whole.open_by_series


@given(states=st.lists(st.sampled_from([OK, BREACH, NO_DATA]), max_size=60))
def test_there_is_never_more_than_one_open_alert_of_a_series(states: list[State]) -> None:
    names = [name for name, _ in transitions(run(states).finish())]
    assert names == (["opened", "resolved"] * len(names))[: len(names)]


def test_a_standing_says_since_when_the_state_holds() -> None:
    first = standings({}, [verdict(OK, hour(1))], hour(1))
    assert standings(first, [verdict(OK, hour(2))], hour(2))["rerank"].since == hour(1)
    assert standings(first, [verdict(BREACH, hour(2))], hour(2))["rerank"].since == hour(2)
    assert standings(first, [], hour(2)) == {}
