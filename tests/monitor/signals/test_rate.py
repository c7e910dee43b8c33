from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from ragvigil_monitor.guardrails.history import decide_history
from ragvigil_monitor.job import Turn
from ragvigil_monitor.rate_counting import count_rate
from ragvigil_monitor.service import Service
from ragvigil_monitor.settings import Settings
from ragvigil_monitor.signals.rate import estimate
from ragvigil_monitor.signals.refusal_rate import REFUSAL_RATE
from ragvigil_monitor.signals.regeneration_rate import REGENERATION_RATE
from ragvigil_monitor.signals.signal import Look, Window
from ragvigil_monitor.statistics.rate_band import RateBand
from ragvigil_monitor.store import Store

AddAnswers = Callable[..., None]
Bands = Callable[..., dict[str, RateBand]]
CountUpTo = Callable[..., None]
DAYS = 29


@pytest.fixture
def count_up_to(make_service: Callable[..., Service], monday: datetime) -> CountUpTo:
    """Counts the hours up to so many hours after Monday."""
    service = make_service()

    def count(end_h: int, start_h: int = 0, signal: str = "regeneration_rate") -> None:
        ends = [monday + timedelta(hours=hour) for hour in range(start_h + 1, end_h + 1)]
        write = count_rate(signal, service, Turn(monday, ends, ends[-1]))
        with service.store.transaction() as writer:
            write(writer)

    return count


@pytest.fixture
def bands(memory_store: Store, monday: datetime) -> Bands:
    """The bands of the window that ends so many hours after Monday."""

    def look(end_h: int, scale: int = 1, **section: Any) -> dict[str, RateBand]:
        settings = Settings.load(guardrails={"regeneration_rate": section})
        window = Window(monday + timedelta(hours=end_h), scale * 3600)
        return estimate(REGENERATION_RATE, Look(memory_store, window, settings, alpha=1e-4))

    return look


def regenerate(store: Store, answers: list[int], monday: datetime) -> None:
    """Marks answers, by their number, as regenerated at once."""
    rows = [{"trace_id": number.to_bytes(16), "answer_span_id": b"answer00"} for number in answers]
    with store.transaction():
        store._cursor().register("marked", pa.Table.from_pylist(rows))
        store._cursor().execute(
            "INSERT INTO feedback (feedback_id, event_number, service, kind, occurred_at, observed_at, given_at,"
            " trace_id, answer_span_id, answer_started_at)"
            " SELECT hex(trace_id), 1, 'shop', 'regenerate', started_at, started_at, started_at, trace_id,"
            " span_id, started_at FROM answers SEMI JOIN marked USING (trace_id)"
        )


def steady(add: AddAnswers, store: Store, monday: datetime, per_hour: int = 20, every: int = 10) -> None:
    """Four weeks and a day of answers, three of four `ask`, the rest `find`; one in `every` is regenerated."""
    after_h = np.arange(0, DAYS * 24, 1 / per_hour)
    for intent, chosen in (("ask", np.arange(len(after_h)) % 4 != 0), ("find", np.arange(len(after_h)) % 4 == 0)):
        add(after_h[chosen], intent=intent)
    regenerate(store, list(range(0, len(after_h), every)), monday)


def test_every_series_is_counted_against_its_own_history(
    memory_store: Store, add_answers: AddAnswers, count_up_to: CountUpTo, bands: Bands, monday: datetime
) -> None:
    steady(add_answers, memory_store, monday)
    count_up_to(DAYS * 24)
    found = bands(DAYS * 24, scale=24)
    assert {series: (band.n, band.events, band.state) for series, band in found.items()} == {
        "all": (480, 48, "inside"),
        "intent=ask": (360, 36, "inside"),
        "intent=find": (120, 12, "inside"),
    }
    assert found["all"].expected == pytest.approx(48, rel=0.01)
    assert found["all"].history_h == 28 * 24


def test_intents_with_little_traffic_are_not_watched(
    memory_store: Store, add_answers: AddAnswers, count_up_to: CountUpTo, bands: Bands, monday: datetime
) -> None:
    steady(add_answers, memory_store, monday)
    count_up_to(DAYS * 24)
    assert list(bands(DAYS * 24, least_share=0.3)) == ["all", "intent=ask"]
    assert list(bands(DAYS * 24, most_intents=0)) == ["all"]
    assert list(bands(DAYS * 24, most_intents=1)) == ["all", "intent=ask"]


def test_listed_intents_are_watched_even_without_traffic(
    memory_store: Store, add_answers: AddAnswers, count_up_to: CountUpTo, bands: Bands, monday: datetime
) -> None:
    steady(add_answers, memory_store, monday)
    count_up_to(DAYS * 24)
    found = bands(DAYS * 24, intents=["find", "buy"])
    assert list(found) == ["all", "intent=find", "intent=buy"]
    assert found["intent=buy"].state == "warming_up"


def test_an_intent_that_is_called_all_is_not_taken_for_all(
    add_answers: AddAnswers, count_up_to: CountUpTo, bands: Bands
) -> None:
    add_answers(np.arange(0, 24, 0.1), intent="all")
    add_answers(np.arange(0, 24, 0.1), intent=None)
    count_up_to(24)
    assert bands(24, scale=24)["all"].n == 480


def test_counting_again_gives_the_same_counts(
    memory_store: Store, add_answers: AddAnswers, count_up_to: CountUpTo, bands: Bands, monday: datetime
) -> None:
    steady(add_answers, memory_store, monday)
    count_up_to(DAYS * 24)
    before = bands(DAYS * 24)
    count_up_to(DAYS * 24, start_h=DAYS * 24 - 3)
    assert bands(DAYS * 24) == before


def test_what_arrives_within_a_day_is_counted_still(
    add_answers: AddAnswers, count_up_to: CountUpTo, bands: Bands
) -> None:
    add_answers(np.arange(0, 10, 0.1))
    count_up_to(10)
    add_answers(np.arange(0, 10, 0.1))
    count_up_to(11, start_h=10)
    assert bands(10, scale=10)["all"].n == 200


@pytest.mark.parametrize(("resolved_h", "history_h"), [(None, 500 - 6), (520, 28 * 24 - 32)])
def test_alarms_are_no_part_of_the_history_from_six_hours_before_until_six_hours_after(
    memory_store: Store,
    add_answers: AddAnswers,
    count_up_to: CountUpTo,
    bands: Bands,
    monday: datetime,
    resolved_h: int | None,
    history_h: int,
) -> None:
    steady(add_answers, memory_store, monday)
    count_up_to(DAYS * 24)
    resolved_at = None if resolved_h is None else monday + timedelta(hours=resolved_h)
    for series, guardrail in (("all", "regeneration_rate"), ("intent=ask", "refusal_rate")):
        memory_store._cursor().execute(
            "INSERT INTO alerts (alert_id, guardrail, series, state, opened_at, last_breach_at, resolved_at, sentence,"
            " evidence) VALUES ($1, $2, $3, '', $4, $4, $5, '', '{}')",
            [
                series,
                guardrail,
                series,
                (monday + timedelta(hours=500)).replace(tzinfo=None),
                resolved_at and resolved_at.replace(tzinfo=None),
            ],
        )
    found = bands(DAYS * 24)
    assert found["all"].history_h == history_h
    assert found["intent=ask"].history_h == 28 * 24


@pytest.mark.parametrize(
    ("decided", "history_h"),
    [
        ([(100, 150, False)], 28 * 24 - 50),
        ([(100, 150, False), (120, 150, True)], 28 * 24 - 20),
        ([(100, 150, True)], 28 * 24),
        ([(99.5, 100.5, False)], 28 * 24 - 2),
        ([(-500, 10, False)], 28 * 24 - 10),
    ],
    ids=["excluded", "partly taken back", "counted anyway", "hours that are touched", "from before"],
)
def test_people_decide_what_is_history(
    memory_store: Store,
    add_answers: AddAnswers,
    count_up_to: CountUpTo,
    bands: Bands,
    monday: datetime,
    decided: list[tuple[float, float, bool]],
    history_h: int,
) -> None:
    steady(add_answers, memory_store, monday)
    count_up_to(DAYS * 24)
    for order, (start_h, end_h, counts) in enumerate(decided):
        start, end = monday + timedelta(hours=start_h), monday + timedelta(hours=end_h)
        now = monday + timedelta(days=40, minutes=order)
        facts: dict[str, Any] = {"counts": counts, "reason": "launch", "by": "kim", "now": now}
        decide_history(memory_store, "regeneration_rate", None, start=start, end=end, **facts)
    assert {band.history_h for band in bands(DAYS * 24).values()} == {history_h}


def test_a_decision_is_written_down_and_needs_a_span_of_time(memory_store: Store, monday: datetime) -> None:
    later = monday + timedelta(hours=3)
    facts: dict[str, Any] = {"counts": True, "reason": "a new level", "by": "kim", "now": later}
    decide_history(memory_store, "regeneration_rate", "all", start=monday, end=later, **facts)
    with pytest.raises(ValueError, match="begins before it ends"):
        decide_history(memory_store, "regeneration_rate", "all", start=later, end=later, **facts)
    audit = memory_store._cursor().execute("SELECT actor, subject FROM audit").fetchall()
    assert audit == [("kim", "regeneration_rate all")]


def test_a_decision_wins_over_an_alarm(
    memory_store: Store, add_answers: AddAnswers, count_up_to: CountUpTo, bands: Bands, monday: datetime
) -> None:
    steady(add_answers, memory_store, monday)
    count_up_to(DAYS * 24)
    memory_store._cursor().execute(
        "INSERT INTO alerts (alert_id, guardrail, series, state, opened_at, last_breach_at, sentence, evidence)"
        " VALUES ('a', 'regeneration_rate', 'all', '', $1, $1, '', '{}')",
        [(monday + timedelta(hours=300)).replace(tzinfo=None)],
    )
    excluded = bands(DAYS * 24)["all"]
    facts: dict[str, Any] = {"counts": True, "reason": "a new level", "by": "kim", "now": monday}
    end = monday + timedelta(days=29)
    decide_history(memory_store, "regeneration_rate", "all", start=monday, end=end, **facts)
    assert (excluded.state, excluded.history_h) == ("insufficient_baseline", 294)
    assert bands(DAYS * 24)["all"].history_h == 28 * 24


def test_an_alarm_that_comes_later_changes_nothing(
    memory_store: Store, add_answers: AddAnswers, count_up_to: CountUpTo, bands: Bands, monday: datetime
) -> None:
    steady(add_answers, memory_store, monday)
    count_up_to(DAYS * 24)
    before = bands(DAYS * 24 - 100)
    memory_store._cursor().execute(
        "INSERT INTO alerts (alert_id, guardrail, series, state, opened_at, last_breach_at, sentence, evidence)"
        " VALUES ('a', 'regeneration_rate', 'all', '', $1, $1, '', '{}')",
        [(monday + timedelta(hours=DAYS * 24 - 99)).replace(tzinfo=None)],
    )
    assert bands(DAYS * 24 - 100) == before


def test_answers_that_do_not_tell_whether_they_refuse_are_not_counted_as_answering(
    memory_store: Store, add_answers: AddAnswers, count_up_to: CountUpTo, monday: datetime
) -> None:
    add_answers(np.arange(0, 3, 0.01))
    memory_store._cursor().execute("UPDATE answers SET refusal = (hash(trace_id) % 2 = 0) WHERE answer_id < '2'")
    count_up_to(3, signal="refusal_rate")
    look = Look(memory_store, Window(monday + timedelta(hours=3), 3 * 3600), Settings.load(), alpha=0.001)
    found = estimate(REFUSAL_RATE, look)["all"]
    assert found.n == memory_store._cursor().execute("SELECT count(refusal) FROM answers").fetchall()[0][0] < 300


def test_without_anything_all_answers_warm_up(bands: Bands) -> None:
    found = bands(24)
    assert {series: (band.state, band.rate) for series, band in found.items()} == {"all": ("warming_up", None)}
