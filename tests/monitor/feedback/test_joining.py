from collections.abc import Callable
from datetime import datetime, timedelta

import pyarrow as pa
import pytest

from ragvigil_monitor.feedback import FeedbackCount, feedback_counts
from ragvigil_monitor.store import Store

Add = Callable[..., None]
Join = Callable[..., None]
Joined = Callable[[], dict[str, str | None]]
DAY_MIN = 24 * 60.0


@pytest.fixture
def counts(memory_store: Store, monday: datetime) -> Callable[..., dict[str, FeedbackCount]]:
    """What became of each kind within 30 days, seen so many minutes after Monday."""

    def read(now_min: float = 60.0) -> dict[str, FeedbackCount]:
        span = timedelta(days=30)
        found = feedback_counts(memory_store, monday - span, monday + span, monday + timedelta(minutes=now_min))
        return {each.kind: each for each in found}

    return read


def test_feedback_finds_its_answer_by_trace_and_span(
    add_answer: Add, add_feedback: Add, join: Join, joined: Joined
) -> None:
    add_answer("one")
    add_answer("two")
    add_feedback("two", feedback_id="f")
    join()
    assert joined() == {"f": "two"}


def test_two_answers_in_one_trace_are_kept_apart(
    memory_store: Store, add_answer: Add, add_feedback: Add, join: Join, joined: Joined
) -> None:
    add_answer("one")
    memory_store._cursor().execute(
        "INSERT INTO answers SELECT * REPLACE ('sibling' AS answer_id, 'another!'::BLOB AS span_id) FROM answers"
    )
    add_feedback("one", feedback_id="f")
    join()
    assert joined() == {"f": "one"}


def test_without_ids_of_the_span_the_answer_id_counts(
    add_answer: Add, add_feedback: Add, join: Join, joined: Joined
) -> None:
    add_answer("one")
    add_feedback(None, feedback_id="f", **{"ragvigil.answer.id": "one"})
    join()
    assert joined() == {"f": "one"}


def test_the_span_wins_over_the_answer_id(add_answer: Add, add_feedback: Add, join: Join, joined: Joined) -> None:
    add_answer("one")
    add_answer("two")
    add_feedback("one", feedback_id="f", **{"ragvigil.answer.id": "two"})
    join()
    assert joined() == {"f": "one"}


def test_at_last_the_id_of_a_model_call_counts(
    memory_store: Store, monday: datetime, add_answer: Add, add_feedback: Add, join: Join, joined: Joined
) -> None:
    add_answer("one")
    span = {
        "trace_id": b"one".ljust(16, b"t"),
        "span_id": b"generate",
        "answer_span_id": b"one".ljust(8, b"s"),
        "started_at": monday.replace(tzinfo=None),
        "duration_ms": 1.0,
        "service": "shop",
        "name": "generate",
        "status": "ok",
        "dropped_attributes": 0,
        "attributes": '{"gen_ai.response.id": "call-7"}',
    }
    with memory_store.transaction() as writer:
        writer.execute_with("insert_spans", pa.Table.from_pylist([span]))
    add_feedback(None, feedback_id="f", **{"gen_ai.response.id": "call-7"})
    add_feedback(None, feedback_id="g", **{"gen_ai.response.id": "call-8"})
    join()
    assert joined() == {"f": "one", "g": None}


def test_feedback_before_its_answer_is_parked_and_joined_when_that_arrives(
    add_answer: Add, add_feedback: Add, join: Join, joined: Joined, counts: Callable[..., dict[str, FeedbackCount]]
) -> None:
    add_feedback("late", "thumbs_up", feedback_id="f")
    join()
    assert joined() == {"f": None}
    assert (counts()["thumbs_up"].parked, counts()["thumbs_up"].joined) == (1, 0)
    add_answer("late")
    join(3 * DAY_MIN)
    assert joined() == {"f": "late"}
    assert (counts()["thumbs_up"].parked, counts()["thumbs_up"].joined) == (0, 1)


def test_after_a_week_nobody_waits_any_more(
    add_answer: Add, add_feedback: Add, join: Join, joined: Joined, counts: Callable[..., dict[str, FeedbackCount]]
) -> None:
    add_feedback("never", feedback_id="f")
    join()
    join(8 * DAY_MIN)
    add_answer("never")
    join(8 * DAY_MIN)
    assert joined() == {"f": None}
    found = counts(8 * DAY_MIN)["regenerate"]
    assert (found.given, found.joined, found.parked, found.unmatched) == (1, 0, 0, 1)


def test_feedback_that_is_weeks_old_when_it_arrives_still_finds_its_answer(
    add_answer: Add, add_feedback: Add, join: Join, joined: Joined
) -> None:
    add_answer("one")
    add_feedback("one", feedback_id="f")
    join(30 * DAY_MIN)
    assert joined() == {"f": "one"}


def test_the_start_that_it_names_leads_to_an_older_answer(
    monday: datetime, add_answer: Add, add_feedback: Add, join: Join, joined: Joined
) -> None:
    add_answer("old", -6 * DAY_MIN)
    started_ns = int((monday - timedelta(days=6)).timestamp() * 1e9)
    add_feedback("old", feedback_id="f", **{"ragvigil.answer.started_at_unix_nano": started_ns})
    join()
    assert joined() == {"f": "old"}


@pytest.mark.parametrize("claimed", [0, -1, 2**63 - 1, "soon", None, 1.5, {"a": 1}], ids=str)
def test_a_start_that_cannot_be_true_is_as_good_as_none(
    add_answer: Add, add_feedback: Add, join: Join, joined: Joined, claimed: object
) -> None:
    add_answer("one")
    add_feedback("one", feedback_id="f", **{"ragvigil.answer.started_at_unix_nano": claimed})
    join()
    assert joined() == {"f": "one"}


def test_an_id_counts_once_whenever_and_however_often_it_arrives(
    memory_store: Store, add_answer: Add, add_feedback: Add, join: Join
) -> None:
    add_answer("one")
    add_feedback("one", "thumbs_up", feedback_id="f")
    add_feedback("one", "thumbs_down", feedback_id="f")
    join()
    add_feedback("one", "thumbs_down", 5 * DAY_MIN, feedback_id="f")
    join(5 * DAY_MIN)
    kinds = memory_store._cursor().execute("SELECT kind FROM feedback").fetchall()
    assert kinds == [("thumbs_up",)]


def test_kinds_that_nobody_understands_are_counted_and_shown(
    add_answer: Add, add_feedback: Add, join: Join, counts: Callable[..., dict[str, FeedbackCount]]
) -> None:
    add_answer("one")
    add_feedback("one", "applause")
    add_feedback("one", None)
    add_feedback("one", "x" * 5000)
    add_feedback("one", "copy")
    join()
    assert {kind: found.known for kind, found in counts().items()} == {
        "applause": False,
        "": False,
        "x" * 100: False,
        "copy": True,
    }


@pytest.mark.parametrize(
    ("client_min", "call_min", "given_min"),
    [(5, 6, 5), (50, 6, 6), (-20, 6, 6), (-20, -3, 0)],
    ids=["possible", "client in the future", "client before the answer", "both before the answer"],
)
def test_the_time_of_the_client_counts_where_it_is_possible(
    memory_store: Store,
    monday: datetime,
    add_answer: Add,
    add_feedback: Add,
    join: Join,
    client_min: float,
    call_min: float,
    given_min: float,
) -> None:
    add_answer("one")
    add_feedback("one", after_min=client_min, call_min=call_min)
    join()
    (given_at,) = memory_store._cursor().execute("SELECT given_at FROM feedback").fetchall()[0]
    assert given_at == (monday + timedelta(minutes=given_min)).replace(tzinfo=None)


def test_clocks_that_are_wrong_are_counted(
    add_answer: Add, add_feedback: Add, join: Join, counts: Callable[..., dict[str, FeedbackCount]]
) -> None:
    add_answer("one")
    for client_min, call_min in ((5, 6), (50, 6), (-20, 6)):
        add_feedback("one", after_min=client_min, call_min=call_min)
    join()
    found = counts()["regenerate"]
    assert (found.given, found.future_dated, found.before_its_answer) == (3, 1, 1)


@pytest.mark.parametrize("value", [float("nan"), "much", None, [1]], ids=str)
def test_a_value_that_is_no_number_is_none(
    memory_store: Store, add_answer: Add, add_feedback: Add, join: Join, value: object
) -> None:
    add_answer("one")
    add_feedback("one", "dwell", value="NaN" if value != value else value)
    add_feedback("one", "dwell", value=2.5)
    join()
    values = memory_store._cursor().execute("SELECT value FROM feedback ORDER BY value").fetchall()
    assert values == [(2.5,), (None,)]
