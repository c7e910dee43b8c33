from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragvigil_monitor.store import Store

Add = Callable[..., None]
Regenerated = Callable[[], set[str]]
QUESTION = "How do I rotate the signing key of a webhook in production?"


@pytest.fixture
def regenerated(memory_store: Store, monday: datetime, join: Callable[..., None]) -> Regenerated:
    """Which answers of the first day count as regenerated."""

    def read() -> set[str]:
        join()
        found = (
            memory_store._cursor()
            .execute(
                "SELECT answer_id FROM observed_regeneration($1, $2) AS observed INNER JOIN answers"
                " ON answers.trace_id = observed.trace_id AND answers.span_id = observed.answer_span_id"
                " WHERE value = 1",
                [monday.replace(tzinfo=None), (monday + timedelta(days=1)).replace(tzinfo=None)],
            )
            .fetchall()
        )
        assert len(found) == len(set(found))
        return {answer for (answer,) in found}

    return read


def test_however_often_and_in_whatever_way_it_shows_an_answer_counts_once(
    add_answer: Add, add_feedback: Add, regenerated: Regenerated
) -> None:
    add_answer("first", question=QUESTION, session="s")
    add_feedback("first", after_min=1)
    add_feedback("first", after_min=2)
    add_answer("second", 2, question=QUESTION, session="s", regeneration_of="first")
    assert regenerated() == {"first"}


def test_other_feedback_is_no_regeneration(add_answer: Add, add_feedback: Add, regenerated: Regenerated) -> None:
    add_answer("one")
    add_feedback("one", "thumbs_down")
    add_feedback("one", "follow_up")
    assert regenerated() == set()


@pytest.mark.parametrize(("after_min", "expected"), [(0, {"one"}), (30, {"one"}), (30.01, set()), (-5, {"one"})])
def test_only_what_happens_within_thirty_minutes_counts(
    add_answer: Add, add_feedback: Add, regenerated: Regenerated, after_min: float, expected: set[str]
) -> None:
    add_answer("one")
    add_feedback("one", after_min=after_min)
    assert regenerated() == expected


@pytest.mark.parametrize(("after_min", "expected"), [(1, {"one"}), (30, {"one"}), (31, set()), (-1, set())])
def test_a_later_answer_may_say_what_it_replaces(
    add_answer: Add, regenerated: Regenerated, after_min: float, expected: set[str]
) -> None:
    add_answer("one", 60)
    add_answer("two", 60 + after_min, regeneration_of="one")
    assert regenerated() == expected


def test_a_replacement_of_nothing_that_is_known_counts_nothing(add_answer: Add, regenerated: Regenerated) -> None:
    add_answer("two", regeneration_of="unknown")
    assert regenerated() == set()


def test_in_a_chain_every_answer_but_the_last_was_regenerated(add_answer: Add, regenerated: Regenerated) -> None:
    for number in range(4):
        add_answer(f"a{number}", 10.0 * number, question=QUESTION, session="s")
    assert regenerated() == {"a0", "a1", "a2"}


@pytest.mark.parametrize(
    "again",
    [
        QUESTION,
        QUESTION.upper(),
        "  how do I rotate the signing-key of a webhook, in production ",
        "How do I rotate the signing kéy of a webhook in production?",
        "How do I rotate teh signing key of a webhook in production?",
    ],
    ids=["same", "case", "punctuation", "accent", "slip"],
)
def test_the_same_question_again_is_a_regeneration(add_answer: Add, regenerated: Regenerated, again: str) -> None:
    add_answer("one", question=QUESTION, session="s")
    add_answer("two", 5, question=again, session="s")
    assert regenerated() == {"one"}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (QUESTION, "And how do I revoke it?"),
        (
            "What does error code 4711 of the payment gateway mean?",
            "What does error code 4712 of the payment gateway mean?",
        ),
        ("May I share a key?", "May I share no key?"),
        ("???", "!!!"),
        ("", ""),
        ("可以共享密钥吗", "可以撤销密钥吗"),
    ],
    ids=["another", "another number", "short and negated", "only punctuation", "empty", "another, without spaces"],
)
def test_another_question_is_none(add_answer: Add, regenerated: Regenerated, first: str, second: str) -> None:
    add_answer("one", question=first, session="s")
    add_answer("two", 5, question=second, session="s")
    assert regenerated() == set()


def test_a_question_that_comes_back_after_another_one_counts(add_answer: Add, regenerated: Regenerated) -> None:
    add_answer("one", question=QUESTION, session="s")
    add_answer("two", 5, question="Is it safe?", session="s")
    add_answer("three", 10, question=QUESTION, session="s")
    assert regenerated() == {"one"}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"session": "s"}, {"session": "t"}),
        ({"session": None}, {"session": None}),
        ({"session": "s", "user": "u"}, {"session": "s", "user": "v"}),
    ],
    ids=["two sessions", "no session", "two users"],
)
def test_whether_it_is_the_same_user_must_be_known(
    add_answer: Add, regenerated: Regenerated, first: dict[str, str], second: dict[str, str]
) -> None:
    add_answer("one", question=QUESTION, **first)
    add_answer("two", 5, question=QUESTION, **second)
    assert regenerated() == set()


def test_after_half_an_hour_it_is_a_new_question(add_answer: Add, regenerated: Regenerated) -> None:
    add_answer("one", question=QUESTION, session="s")
    add_answer("two", 31, question=QUESTION, session="s")
    assert regenerated() == set()


@pytest.fixture(scope="module")
def any_store() -> Iterator[Store]:
    store = Store.open(None)
    yield store
    store.close()


@settings(deadline=None)
@given(text=st.text(max_size=80))
def test_any_text_has_a_normal_form_that_is_its_own(any_store: Store, text: str) -> None:
    forms = "SELECT normalised_question($1) AS once, normalised_question(once)"
    ((once, twice),) = any_store._cursor().execute(forms, [text]).fetchall()
    assert once == twice
