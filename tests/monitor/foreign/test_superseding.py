"""What happens to what was said of an answer when it turns out to be a part of another."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pyarrow as pa
import pytest
from tests.monitor.foreign.conftest import Seen
from tests.samples.otlp import NOW, span, span_id, trace_id

from ragvigil import attributes as names
from ragvigil_monitor.feedback import join_feedback
from ragvigil_monitor.foreign.reading import answer_id
from ragvigil_monitor.job import Job
from ragvigil_monitor.schedule import run_due
from ragvigil_monitor.store import Store

SOON, LATER = NOW + timedelta(seconds=1), NOW + timedelta(minutes=3)


def chain(number: int, **given: Any) -> Any:
    return span(number, {names.SPAN_KIND: "CHAIN", names.INPUT_VALUE: f"in {number}"}, **given)


def model(number: int, **given: Any) -> Any:
    return span(number, {names.SPAN_KIND: "LLM", names.USAGE_INPUT_TOKENS: 7}, **given)


@pytest.fixture
def found(store_spans: Callable[..., None], settle: Callable[..., Seen]) -> Seen:
    """The chain 2 is the answer, since its parent has not arrived."""
    store_spans(chain(2, parent=1), model(3, parent=2))
    return settle(after_s=180)


@pytest.fixture
def change(memory_store: Store) -> Callable[..., Any]:
    def execute(sql: str, *values: Any) -> Any:
        with memory_store.transaction() as writer:
            return writer._cursor.execute(sql, values).fetchall()

    return execute


def give_feedback(change: Any) -> None:
    at = LATER.replace(tzinfo=None)
    change(
        """INSERT INTO feedback (feedback_id, event_number, service, kind, occurred_at, observed_at, given_at, trace_id,
        answer_span_id, answer_started_at) VALUES ('f', 1, 'shop', 'thumbs_down', ?, ?, ?, ?, ?, ?)""",
        *(at, at, at, trace_id(1), span_id(2), NOW.replace(tzinfo=None)),
    )


def numbers(seen: Seen) -> list[int]:
    return [int.from_bytes(row["span_id"]) for row in seen.answers()]


def test_feedback_follows_to_the_answer_that_takes_its_place(
    found: Seen, change: Any, store_spans: Any, settle: Any
) -> None:
    give_feedback(change)
    store_spans(chain(1, started_at=NOW - timedelta(seconds=1)))
    assert numbers(settle(after_s=200)) == [1]
    (row,) = found._all("SELECT * FROM feedback")
    assert (row["answer_span_id"], row["answer_started_at"]) == (
        span_id(1),
        NOW.replace(tzinfo=None) - timedelta(seconds=1),
    )
    window = (NOW - timedelta(hours=1)).replace(tzinfo=None), (NOW + timedelta(hours=1)).replace(tzinfo=None)
    disliked = change("SELECT value FROM observed_thumbs_down(?::TIMESTAMP, ?::TIMESTAMP)", *window)
    assert disliked == [(1.0,)]


def test_feedback_on_other_answers_stays(found: Seen, change: Any, store_spans: Any, settle: Any) -> None:
    give_feedback(change)
    change("UPDATE feedback SET trace_id = ?", trace_id(9))
    store_spans(chain(1))
    settle(after_s=200)
    (row,) = found._all("SELECT answer_span_id FROM feedback")
    assert row["answer_span_id"] == span_id(2)


def test_what_was_given_again_is_the_answer_that_takes_its_place(
    found: Seen, change: Any, store_spans: Any, settle: Any
) -> None:
    again = {names.ANSWER_ID: "again", names.REGENERATION_OF: answer_id(trace_id(1), span_id(2))}
    store_spans(span(1, again, trace=5, started_at=LATER), scope={"name": "ragvigil"}, now=LATER)
    store_spans(chain(1))
    last = settle(after_s=200).answers()[-1]
    assert (last["answer_id"], last["regeneration_of"]) == ("again", answer_id(trace_id(1), span_id(1)))


USES = {
    "review": """INSERT INTO review_items (item_id, trace_id, span_id, started_at, decided_at, inclusion_probability,
        sampling_probability, wants_second, seed, policy_version, salt_version)
        VALUES ('i', ?, ?, ?, ?, 1, 1, false, 'x', 'p', 's')""",
    "judge": """INSERT INTO judge_scores (trace_id, answer_span_id, started_at, judged_at, judge, judge_version, score,
        in_sample) VALUES (?, ?, ?, ?, 'j', '1', 1, true)""",
}


@pytest.mark.parametrize("use", USES)
def test_an_answer_that_somebody_judged_stays_and_gets_all_that_the_other_would_have(
    found: Seen, change: Any, store_spans: Any, settle: Any, use: str
) -> None:
    change(USES[use], trace_id(1), span_id(2), NOW.replace(tzinfo=None), LATER.replace(tzinfo=None))
    store_spans(chain(1), model(4, parent=1))
    seen = settle(after_s=200)
    assert numbers(seen) == [2]
    assert {row["answer_span_id"] for row in seen.spans()} == {span_id(2)}
    assert numbers(settle(after_s=400)) == [2]


def test_each_of_several_that_were_judged_keeps_what_lies_below_it(change: Any, store_spans: Any, settle: Any) -> None:
    store_spans(chain(2, parent=1), model(3, parent=2))
    store_spans(chain(5, parent=1, started_at=SOON), model(6, parent=5, started_at=SOON))
    assert numbers(settle(after_s=180)) == [2, 5]
    for number in (2, 5):
        values = (trace_id(1), span_id(number), NOW.replace(tzinfo=None), LATER.replace(tzinfo=None))
        change(USES["judge"], *values)
    store_spans(chain(1), model(7, parent=1))
    seen = settle(after_s=200)
    assert numbers(seen) == [2, 5]
    owners = {int.from_bytes(row["span_id"]): int.from_bytes(row["answer_span_id"]) for row in seen.spans()}
    assert owners == {1: 2, 2: 2, 3: 2, 5: 5, 6: 5, 7: 2}


def test_an_answer_that_the_application_names_later_is_the_only_one(
    found: Seen, change: Any, store_spans: Any, settle: Any
) -> None:
    give_feedback(change)
    own = {names.ANSWER_ID: "mine", names.SPAN_KIND: "CHAIN"}
    store_spans(span(1, own, started_at=NOW - timedelta(seconds=1)), scope={"name": "ragvigil"})
    seen = settle(after_s=200)
    assert [row["answer_id"] for row in seen.answers()] == ["mine"]
    assert {row["answer_span_id"] for row in seen.spans()} == {span_id(1)}
    (row,) = found._all("SELECT answer_span_id FROM feedback")
    assert row["answer_span_id"] == span_id(1)


@pytest.mark.parametrize(("named", "joined"), [(1, 2), (2, 2), (3, 2), (8, None)])
def test_feedback_may_name_any_span_of_an_answer(
    store_spans: Any, make_service: Any, memory_store: Store, named: int, joined: int | None
) -> None:
    store_spans(span(1, kind=2), chain(2, parent=1), model(3, parent=2), span(8, trace=4))
    event = {
        "event_id": "f",
        "event_name": names.EVENT_FEEDBACK,
        "occurred_at": SOON.replace(tzinfo=None),
        "observed_at": SOON.replace(tzinfo=None),
        "service": "shop",
        "trace_id": trace_id(4 if named == 8 else 1),
        "span_id": span_id(named),
        "attributes": f'{{"{names.FEEDBACK_KIND}": "thumbs_down"}}',
    }
    with memory_store.transaction() as writer:
        writer.execute_with("insert_log_events", pa.Table.from_pylist([event]))
    run_due(make_service(LATER), LATER)
    (row,) = Seen(memory_store)._all("SELECT answer_span_id FROM feedback")
    assert row["answer_span_id"] == (joined and span_id(joined))


def test_feedback_is_looked_for_below_answers_only_lately(
    found: Seen, make_service: Any, memory_store: Store, change: Any
) -> None:
    give_feedback(change)
    change("UPDATE feedback SET claimed_trace_id = trace_id, claimed_span_id = ?, answer_started_at = NULL", span_id(3))
    for later, expected in ((timedelta(hours=2), None), (timedelta(minutes=30), NOW.replace(tzinfo=None))):
        run_due(make_service(NOW + later), NOW + later, listed=lambda _settings: [Job("join", 0, join_feedback)])
        (row,) = found._all("SELECT answer_started_at FROM feedback")
        assert row["answer_started_at"] == expected
        change("DELETE FROM job_watermarks")
