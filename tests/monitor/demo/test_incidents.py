"""What each incident does to questions, filters and users, before any monitor sees it."""

import pytest

from ragvigil.predicates import Clause, Leaf
from ragvigil_monitor.demo.corpus import Entry
from ragvigil_monitor.demo.dice import dice
from ragvigil_monitor.demo.incidents import new_topic, regenerations, wrong_hard_filter
from ragvigil_monitor.demo.incidents.new_topic import PACKAGE
from ragvigil_monitor.demo.library import Library
from ragvigil_monitor.demo.parts import Parts

ASKED = 3000


def leaves(clauses: tuple[Clause, ...]) -> list[tuple[str, object]]:
    return [(c.predicate.field, c.predicate.value) for c in clauses if isinstance(c.predicate, Leaf)]


def topic_share(parts: Parts, library: Library) -> float:
    asked = [parts.questioner.ask(dice("topic", n), lambda _: True) for n in range(ASKED)]
    return sum(library.entries[question.about[0]].package == PACKAGE for question in asked) / ASKED


def test_a_tenth_of_the_questions_is_about_the_new_topic(healthy: Parts, library: Library) -> None:
    before = topic_share(healthy, library)
    assert before < 0.05
    assert topic_share(new_topic.change(healthy), library) == pytest.approx(before + 0.1, abs=0.02)


def test_all_other_questions_stay_as_they_were(healthy: Parts, library: Library) -> None:
    changed = new_topic.change(healthy)
    for number in range(500):
        before, after = (parts.questioner.ask(dice(number), lambda _: True) for parts in (healthy, changed))
        assert before == after or library.entries[after.about[0]].package == PACKAGE


def test_the_new_topic_asks_each_user_only_what_they_may_read(healthy: Parts, library: Library) -> None:
    def nothing_else(entry: Entry) -> bool:
        return entry.package in {PACKAGE, "json"}

    changed = new_topic.change(healthy)
    asked = [changed.questioner.ask(dice(number), nothing_else) for number in range(300)]
    assert sum(nothing_else(library.entries[question.about[0]]) for question in asked) > 250


def test_only_one_intent_is_asked_again_more_often(healthy: Parts) -> None:
    assert regenerations.change(healthy).habits.again_factor == {"how_to": 2.0}


@pytest.mark.parametrize(
    ("question", "added"),
    [
        ("Ideally a class. How do I read rows with csv?", [("kind", "class")]),
        ("How do I create a function?", [("kind", "function")]),
        ("How do I read rows with csv?", []),
        ("", []),
    ],
    ids=["a wish", "in passing", "nothing of the kind", "empty"],
)
def test_the_wrong_extractor_adds_a_condition_and_keeps_the_others(
    healthy: Parts, question: str, added: list[tuple[str, object]]
) -> None:
    before = leaves(healthy.extract(question))
    assert leaves(wrong_hard_filter.change(healthy).extract(question)) == before + added


def test_the_healthy_extractor_makes_no_condition_of_a_wish(healthy: Parts) -> None:
    assert healthy.extract("Ideally a class. What is json.loads good for?") == ()
