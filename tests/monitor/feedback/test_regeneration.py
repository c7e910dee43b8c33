import re
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.samples.fresh_stores import fresh_store

from ragvigil_monitor.store import Store

Add = Callable[..., None]
Regenerated = Callable[[], set[str]]
Observed = Callable[..., dict[str, float | None]]
QUESTION = "How do I rotate the signing key of a webhook in production?"


@pytest.fixture
def observed(memory_store: Store, monday: datetime, join: Callable[..., None]) -> Observed:
    """What is observed of each answer of the first day, or of an hour of it."""

    def read(start_h: int = 0, end_h: int = 24) -> dict[str, float | None]:
        join()
        found = (
            memory_store._cursor()
            .execute(
                "SELECT answer_id, value FROM observed_regeneration($1, $2) AS observed INNER JOIN answers"
                " ON answers.trace_id = observed.trace_id AND answers.span_id = observed.answer_span_id",
                [(monday + timedelta(hours=hour)).replace(tzinfo=None) for hour in (start_h, end_h)],
            )
            .fetchall()
        )
        assert len(found) == len(dict(found))
        return dict(found)

    return read


@pytest.fixture
def regenerated(observed: Observed) -> Regenerated:
    """Which answers of the first day count as regenerated."""
    return lambda: {answer for answer, value in observed().items() if value == 1}


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


CHAIN: dict[str, Callable[[int], dict[str, str]]] = {
    "typed": lambda _: {"question": QUESTION, "session": "s"},
    "button": lambda number: {"regeneration_of": f"a{number - 1}"} if number else {},
    "both": lambda number: {"question": QUESTION, "session": "s", **(CHAIN["button"](number))},
    "slips": lambda number: {"question": QUESTION[: len(QUESTION) - number % 2], "session": "s"},
}


@pytest.mark.parametrize("asked", CHAIN.values(), ids=CHAIN)
def test_who_asks_again_and_again_counts_once(
    add_answer: Add, observed: Observed, asked: Callable[[int], dict[str, str]]
) -> None:
    """Eight answers within four minutes of a quiet hour, all for one user, are no surge of regenerations."""
    for number in range(8):
        add_answer(f"a{number}", 0.5 * number, **asked(number))
    assert observed() == {"a0": 1.0, **{f"a{number}": None for number in range(1, 8)}}


@pytest.mark.parametrize("asked", CHAIN.values(), ids=CHAIN)
def test_it_counts_once_wherever_the_hour_is_full_in_between(
    add_answer: Add, observed: Observed, asked: Callable[[int], dict[str, str]]
) -> None:
    for number in range(5):
        add_answer(f"a{number}", 20.0 * number, **asked(number))
    by_hour = {answer: value for hour in range(2) for answer, value in observed(hour, hour + 1).items()}
    assert by_hour == observed() == {"a0": 1.0, "a1": None, "a2": None, "a3": None, "a4": None}


def test_an_answer_that_replaces_one_from_too_long_ago_counts_for_itself(add_answer: Add, observed: Observed) -> None:
    add_answer("one")
    add_answer("two", 31, regeneration_of="one")
    add_answer("three", 40, regeneration_of="two")
    assert observed() == {"one": 0.0, "two": 1.0, "three": None}


def test_an_answer_that_names_itself_replaces_nothing(add_answer: Add, observed: Observed) -> None:
    add_answer("one", regeneration_of="one")
    assert observed() == {"one": 0.0}


def test_a_button_alone_says_nothing_of_the_answer_that_follows(
    add_answer: Add, add_feedback: Add, observed: Observed
) -> None:
    add_answer("one")
    add_feedback("one")
    add_answer("two", 2)
    assert observed() == {"one": 1.0, "two": 0.0}


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
        ({"session": "s"}, {"session": "s", "service": "desk"}),
    ],
    ids=["two sessions", "no session", "two users", "two services"],
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
    store = fresh_store()
    yield store
    store.close()


@settings(deadline=None)
@given(text=st.text(max_size=80))
def test_any_text_has_a_normal_form_that_is_its_own(any_store: Store, text: str) -> None:
    forms = "SELECT normalised_question($1) AS once, normalised_question(once)"
    ((once, twice),) = any_store._cursor().execute(forms, [text]).fetchall()
    assert once == twice


def edits(one: str, other: str) -> int:
    """How many characters must be put in, taken out or replaced to make one text of the other."""
    row = list(range(len(other) + 1))
    for i, left in enumerate(one, 1):
        before, row = row, [i]
        for j, right in enumerate(other, 1):
            row.append(min(before[j] + 1, row[-1] + 1, before[j - 1] + (left != right)))
    return row[-1]


def numbers(text: str) -> list[str]:
    return re.findall(r"\d+", text)


WRITTEN = st.text("ab 1", min_size=18, max_size=70)


@settings(deadline=None)
@given(one=WRITTEN, places=st.lists(st.integers(0, 70), max_size=4), put=st.sampled_from(["", "a", "ab", "1"]))
def test_near_identical_is_the_same_numbers_and_an_edit_in_twenty_characters(
    any_store: Store, one: str, places: list[int], put: str
) -> None:
    other = one
    for place in places:
        other = other[:place] + put + other[place + 1 :]
    ((found,),) = any_store._cursor().execute("SELECT asks_again($1, $2)", [one, other]).fetchall()
    assert found == (one == other or (numbers(one) == numbers(other) and edits(one, other) <= len(one) // 20))
