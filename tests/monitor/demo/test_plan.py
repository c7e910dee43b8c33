from dataclasses import replace
from datetime import datetime, timedelta
from itertools import islice, pairwise

from ragvigil_monitor.demo.access import may_read
from ragvigil_monitor.demo.answerer import Reply
from ragvigil_monitor.demo.app import Answered, Request
from ragvigil_monitor.demo.following import Asking
from ragvigil_monitor.demo.incidents import INCIDENTS, new_topic
from ragvigil_monitor.demo.library import Library
from ragvigil_monitor.demo.parts import Parts
from ragvigil_monitor.demo.plan import DayEnd, Plan
from ragvigil_monitor.demo.releases import Release
from ragvigil_monitor.demo.users import Visit


def small(now: datetime, seed: int = 1) -> Plan:
    return Plan.draw(seed=seed, end=now, days=2.5, answers=100)


def requested(plan: Plan, visit: Visit, parts: Parts) -> Request:
    return plan.request(Asking(visit.at, visit, plan.question(visit, parts)))


def test_events_are_in_order_of_time_and_end_with_the_last_day(now: datetime) -> None:
    events = list(small(now).events())
    assert all(one.at <= two.at for one, two in pairwise(events))
    assert [event.number for event in events if isinstance(event, DayEnd)] == [1, 2, 3]
    assert events[-1] == DayEnd(3, now)
    assert isinstance(events[0], Release)


def test_whole_days_end_once(now: datetime) -> None:
    plan = Plan.draw(seed=1, end=now, days=2, answers=10)
    assert [event.at for event in plan.events() if isinstance(event, DayEnd)] == [now - timedelta(days=1), now]


def test_the_same_seed_and_end_give_the_same_plan_and_requests(now: datetime, healthy: Parts) -> None:
    one, two = small(now), small(now)
    assert one == two
    assert list(one.events()) == list(two.events())
    visit = next(event for event in one.events() if isinstance(event, Visit))
    left, right = requested(one, visit, healthy), requested(two, visit, healthy)
    assert replace(left, rng=right.rng) == right
    assert left.rng.random() == right.rng.random()


def test_the_run_leaves_the_incident_that_goes_on(now: datetime, healthy: Parts) -> None:
    plan = small(now)
    going_on = [one.incident for one in plan.planted if one.goes_on]
    assert plan.parts_at_end(healthy) == going_on[0].change(healthy)
    assert plan.parts_at(healthy, now) == healthy


def test_a_later_end_moves_everything_alike(now: datetime) -> None:
    week = timedelta(days=7)
    one, later = small(now), small(now + week)
    assert [p.planted_at + week for p in one.planted] == [p.planted_at for p in later.planted]
    assert [r.at + week for r in one.releases] == [r.at for r in later.releases]


def test_a_request_carries_who_asks_and_when(now: datetime, healthy: Parts) -> None:
    plan = small(now)
    visit = next(event for event in plan.events() if isinstance(event, Visit))
    request = requested(plan, visit, healthy)
    assert (request.at, request.user_id, request.team) == (visit.at, visit.user_id, visit.team)
    assert request.session_id == visit.session_id
    assert request.question
    assert request.regeneration_of is None


def test_asked_again_by_the_button_names_the_answer_and_has_dice_of_its_own(now: datetime, healthy: Parts) -> None:
    plan = small(now)
    visit = next(event for event in plan.events() if isinstance(event, Visit))
    first = Asking(visit.at, visit, plan.question(visit, healthy))
    answered = Answered(Reply("no", (), 0.0, refused=True), "t-s", "token")
    again = replace(first, at=visit.at + timedelta(seconds=30), turn=1, instead_of=answered)
    request, later = plan.request(first), plan.request(again)
    assert (later.question, later.session_id, later.regeneration_of) == (request.question, request.session_id, "t-s")
    assert later.at == visit.at + timedelta(seconds=30)
    assert later.rng.random() != request.rng.random()


def test_questions_stay_the_same_when_incidents_come_but_for_the_new_topic(now: datetime, healthy: Parts) -> None:
    others = [incident for incident in INCIDENTS if incident is not new_topic]
    quiet = Plan.draw(seed=1, end=now, days=2, answers=60, incidents=())
    troubled = Plan.draw(seed=1, end=now, days=2, answers=60, incidents=others)
    for visit in islice((event for event in quiet.events() if isinstance(event, Visit)), 60):
        with_incidents = requested(troubled, visit, troubled.parts_at(healthy, visit.at))
        assert requested(quiet, visit, healthy).question == with_incidents.question


def test_most_questions_respect_what_the_team_may_read(now: datetime, healthy: Parts, library: Library) -> None:
    plan = Plan.draw(seed=1, end=now, days=7, answers=600)
    refused = 0
    asked = [(visit, requested(plan, visit, healthy)) for visit in plan.events() if isinstance(visit, Visit)]
    for visit, request in asked:
        named = [entry for entry in library.entries.values() if entry.id in request.question.split()]
        refused += any(not may_read(visit.team, entry.package) for entry in named)
    assert refused < 0.1 * len(asked)
