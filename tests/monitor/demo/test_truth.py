from datetime import datetime, timedelta

import pytest

from ragvigil_monitor.demo.following import Asking
from ragvigil_monitor.demo.incidents import wrong_hard_filter
from ragvigil_monitor.demo.library import Library
from ragvigil_monitor.demo.parts import Parts
from ragvigil_monitor.demo.plan import Plan
from ragvigil_monitor.demo.questioner import Question
from ragvigil_monitor.demo.truth import Truth
from ragvigil_monitor.demo.users import Visit

READ = "How do I deserialize a JSON document to a Python object"
WRONGLY_FILTERED = f"{READ} with csv?"


@pytest.fixture
def truth(library: Library) -> Truth:
    return Truth(library)


def asking(now: datetime, text: str, about: str, team: str = "platform") -> Asking:
    return Asking(now, Visit(1, now, "u001", team, "s1"), Question(text, "lookup", (about,)))


def counts(truth: Truth, now: datetime) -> tuple[int, int]:
    rate = truth.rate_between(now, now + timedelta(seconds=1))
    return rate.n, rate.excluded


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{READ} with json?", (1, 0)),
        (WRONGLY_FILTERED, (1, 1)),
        ("What is json.loads good for?", (0, 0)),
    ],
    ids=["right filter", "wrong filter", "no filter"],
)
def test_evidence_is_excluded_when_it_fails_the_filter(
    truth: Truth, healthy: Parts, now: datetime, text: str, expected: tuple[int, int]
) -> None:
    truth.note(asking(now, text, "json.loads"), healthy)
    assert counts(truth, now) == expected


def test_what_the_user_may_not_read_is_no_evidence(truth: Truth, healthy: Parts, now: datetime) -> None:
    text = "What does the class create_connection do in the asyncio module?"
    truth.note(asking(now, text, "asyncio.loop", team="data"), healthy)
    assert counts(truth, now) == (0, 0)


def test_without_evidence_there_is_no_rate(truth: Truth, now: datetime) -> None:
    rate = truth.rate_between(now, now + timedelta(days=1))
    assert (rate.n, rate.value) == (0, None)


def test_a_window_holds_its_start_and_not_its_end(truth: Truth, healthy: Parts, now: datetime) -> None:
    truth.note(asking(now, WRONGLY_FILTERED, "json.loads"), healthy)
    assert truth.rate_between(now, now + timedelta(seconds=1)).value == 1
    assert truth.rate_between(now - timedelta(seconds=1), now).n == 0


def test_reviewers_learn_what_was_asked_and_nothing_else(truth: Truth, healthy: Parts, now: datetime) -> None:
    truth.note(asking(now, "What is json.loads good for?", "json.loads"), healthy)
    assert truth.about("What is json.loads good for?") == {"json.loads"}
    with pytest.raises(KeyError):
        truth.about("What else?")


def rate_of(parts: Parts, library: Library, plan: Plan) -> float:
    truth = Truth(library)
    for event in plan.events():
        if isinstance(event, Visit):
            truth.note(Asking(event.at, event, plan.question(event, parts)), parts)
    rate = truth.rate_between(plan.start, plan.end)
    assert rate.n > 500
    assert rate.value is not None
    return rate.value


def test_the_wrong_filter_raises_the_rate_from_below_one_to_a_third(
    healthy: Parts, library: Library, now: datetime
) -> None:
    plan = Plan.draw(seed=3, end=now, days=2, answers=1800, incidents=())
    assert rate_of(healthy, library, plan) < 0.01
    assert 0.2 < rate_of(wrong_hard_filter.change(healthy), library, plan) < 0.45
