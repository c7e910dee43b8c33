from dataclasses import replace
from datetime import datetime

import pytest

from ragvigil_monitor.demo.answerer import Reply
from ragvigil_monitor.demo.app import Answered
from ragvigil_monitor.demo.following import Asking, Rating, followings
from ragvigil_monitor.demo.questioner import Question
from ragvigil_monitor.demo.reactions import Habits
from ragvigil_monitor.demo.users import Visit

CITED = Answered(Reply("Reads rows. [1]", ("csv.reader",), 0.9, refused=False), "t-s", "token")
MISSED = replace(CITED, reply=replace(CITED.reply, citations=("csv.writer",)))
ASKED = 4000


def asking(now: datetime, number: int, turn: int = 0) -> Asking:
    visit = Visit(number, now, "u001", "web", "s1")
    return Asking(now, visit, Question("How do I read rows?", "how_to", ("csv.reader",)), turn)


def all_followings(now: datetime, answered: Answered) -> list[Asking | Rating]:
    return [f for number in range(ASKED) for f in followings(asking(now, number), answered, Habits(), seed=1)]


@pytest.fixture(scope="module")
def followed() -> list[Asking | Rating]:
    return all_followings(datetime.fromisoformat("2026-11-30T12:00:00+00:00"), CITED)


def test_about_one_in_ten_asks_the_same_again_mostly_by_the_button(followed: list[Asking | Rating]) -> None:
    again = [each for each in followed if isinstance(each, Asking)]
    assert len(again) / ASKED == pytest.approx(0.085, abs=0.015)
    assert {each.turn for each in again} == {1}
    assert {each.question.text for each in again} == {"How do I read rows?"}
    assert sum(each.instead_of is CITED for each in again) / len(again) == pytest.approx(0.7, abs=0.1)


def test_reactions_depend_on_whether_the_answer_cites_what_was_meant(now: datetime) -> None:
    def asked_again(answered: Answered) -> int:
        return sum(isinstance(each, Asking) for each in all_followings(now, answered))

    assert asked_again(MISSED) > 1.5 * asked_again(CITED)


def test_everything_comes_later_and_no_thumb_reaches_the_app_before_it_is_given(
    followed: list[Asking | Rating],
) -> None:
    asked_at = datetime.fromisoformat("2026-11-30T12:00:00+00:00")
    assert all(each.at > asked_at for each in followed)
    ratings = [each for each in followed if isinstance(each, Rating)]
    assert all(each.at >= each.given_at for each in ratings)
    assert len({each.feedback_id for each in ratings}) == len(ratings) > 100


def test_a_turn_has_dice_of_its_own(now: datetime) -> None:
    def told(turn: int) -> list[int]:
        return [len(list(followings(asking(now, n, turn), CITED, Habits(), seed=1))) for n in range(200)]

    assert told(0) == told(0)
    assert told(0) != told(1)
