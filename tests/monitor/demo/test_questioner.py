from collections import Counter, defaultdict

import pytest

from ragvigil_monitor.demo.access import TEAMS, may_read
from ragvigil_monitor.demo.corpus import Entry
from ragvigil_monitor.demo.dice import dice
from ragvigil_monitor.demo.intents import INTENTS
from ragvigil_monitor.demo.questioner import Question, Questioner


@pytest.fixture(scope="module")
def asked(corpus: tuple[Entry, ...]) -> list[Question]:
    questioner = Questioner(corpus, seed=1)
    return [questioner.ask(dice(number), lambda _: True) for number in range(6000)]


def test_there_are_at_least_five_intents_one_of_them_large() -> None:
    assert len(INTENTS) >= 5
    assert sum(intent.share for intent in INTENTS) == pytest.approx(1)
    assert max(intent.share for intent in INTENTS) >= 0.2


def test_intents_come_by_their_share(asked: list[Question]) -> None:
    counts = Counter(question.intent for question in asked)
    for intent in INTENTS:
        assert counts[intent.name] / len(asked) == pytest.approx(intent.share, abs=0.025)


def test_questions_are_about_entries_that_fit_their_intent(asked: list[Question], corpus: tuple[Entry, ...]) -> None:
    entries = {entry.id: entry for entry in corpus}
    intents = {intent.name: intent for intent in INTENTS}
    assert all(intents[q.intent].fits(entries[about]) for q in asked for about in q.about)


def test_questions_are_sentences(asked: list[Question]) -> None:
    for question in asked:
        assert 15 <= len(question.text) <= 250
        assert "\n" not in question.text
        assert "  " not in question.text


def test_popular_questions_come_again(asked: list[Question]) -> None:
    ((_, most),) = Counter(question.text for question in asked).most_common(1)
    assert most >= 5
    assert len({question.about for question in asked}) > 1000


@pytest.mark.parametrize("team", TEAMS)
def test_most_questions_are_about_what_the_team_may_read(corpus: tuple[Entry, ...], team: str) -> None:
    entries = {entry.id: entry for entry in corpus}
    questioner = Questioner(corpus, seed=1)
    asked = [questioner.ask(dice(n), lambda entry: may_read(team, entry.package)) for n in range(500)]
    readable = sum(may_read(team, entries[question.about[0]].package) for question in asked)
    assert readable / len(asked) > 0.85


def test_the_same_dice_ask_the_same_question(corpus: tuple[Entry, ...]) -> None:
    one, two = (Questioner(corpus, seed=1).ask(dice(5), lambda _: True) for _ in range(2))
    assert one == two


def test_a_question_is_about_every_entry_that_is_asked_for_in_its_words(asked: list[Question]) -> None:
    about: dict[str, set[str]] = defaultdict(set)
    for question in asked:
        about[question.text] |= set(question.about)
    alone = [question for question in asked if set(question.about) != about[question.text]]
    assert len(alone) < 0.002 * len(asked)
    assert any(len(question.about) > 1 for question in asked)


def test_a_quarter_of_the_questions_begins_with_a_wish_for_another_kind_than_there_is(
    asked: list[Question], corpus: tuple[Entry, ...]
) -> None:
    entries = {entry.id: entry for entry in corpus}
    wishing = [question for question in asked if question.text.startswith("Ideally a ")]
    assert len(wishing) / len(asked) == pytest.approx(0.25, abs=0.02)
    for question in wishing:
        assert question.text.split()[2].rstrip(".") != entries[question.about[0]].kind


def test_who_asks_about_one_package_asks_about_nothing_else(corpus: tuple[Entry, ...]) -> None:
    entries = {entry.id: entry for entry in corpus}
    questioner = Questioner(corpus, seed=1)
    narrow = questioner.only_about("json")
    asked = [narrow.ask(dice(number), lambda _: True) for number in range(300)]
    assert {entries[about].package for question in asked for about in question.about} == {"json"}
    assert questioner.only_about("json") is narrow
