"""By how much a rate differs from its season through the mix of intents, and by how much within them."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pyarrow as pa
import pytest

from ragvigil_monitor.guardrails.history import decide_history
from ragvigil_monitor.settings import Settings
from ragvigil_monitor.signals.rate_change import split_by_intent
from ragvigil_monitor.signals.regeneration_rate import REGENERATION_RATE
from ragvigil_monitor.signals.signal import Look, Window
from ragvigil_monitor.statistics.mix_rate_split import MixRateSplit
from ragvigil_monitor.store import Store

DAYS = 29
Hour = dict[str, tuple[int, int]]
Usual = Callable[[int], Hour]


@pytest.fixture
def split(memory_store: Store, monday: datetime) -> Callable[..., MixRateSplit | None]:
    """Counts of 29 days, `recent` in the last 24 hours and `usual` before; split for the window at their end."""

    def run(usual: Usual, recent: Usual, window_h: int = 24, first_day: int = 0) -> MixRateSplit | None:
        rows = []
        for hour in range(first_day * 24, DAYS * 24):
            counts = (recent if hour >= (DAYS - 1) * 24 else usual)(hour % 24)
            events, totals = (sum(pair[part] for pair in counts.values()) for part in (0, 1))
            for series, (x, n) in {**counts, "all": (events, totals)}.items():
                at = (monday + timedelta(hours=hour)).replace(tzinfo=None)
                rows.append({"signal": "regeneration_rate", "series": series, "hour": at, "events": x, "totals": n})
        with memory_store.transaction():
            memory_store._cursor().register("counted", pa.Table.from_pylist([row for row in rows if row["series"]]))
            memory_store._cursor().execute("INSERT INTO rate_counts BY NAME SELECT * FROM counted")
        return again(window_h)

    def again(window_h: int) -> MixRateSplit | None:
        window = Window(monday + timedelta(days=DAYS), window_h * 3600)
        return split_by_intent(REGENERATION_RATE, Look(memory_store, window, Settings.load(), alpha=1e-4))

    return run


def steady(_hour: int) -> Hour:
    return {"intent=ask": (4, 80), "intent=find": (4, 20)}


def test_more_of_an_intent_that_is_always_regenerated_more_often_is_mix(
    split: Callable[..., MixRateSplit | None],
) -> None:
    found = split(steady, lambda _hour: {"intent=ask": (2, 40), "intent=find": (12, 60)})
    assert found is not None
    assert (found.before, found.after) == pytest.approx((0.08, 0.14))
    assert (found.mix, found.rate) == pytest.approx((0.06, 0.0))


def test_an_intent_that_is_regenerated_more_often_than_before_is_rate(
    split: Callable[..., MixRateSplit | None],
) -> None:
    found = split(steady, lambda _hour: {"intent=ask": (4, 80), "intent=find": (10, 20)})
    assert found is not None
    assert (found.mix, found.rate) == pytest.approx((0.0, 0.06))


def test_a_mix_that_is_usual_at_this_time_of_day_is_no_change(split: Callable[..., MixRateSplit | None]) -> None:
    def by_day(hour: int) -> Hour:
        return steady(hour) if hour < 18 else {"intent=ask": (1, 20), "intent=find": (16, 80)}

    found = split(by_day, by_day, window_h=6)
    assert found is not None
    assert found.before == pytest.approx(0.17)
    assert (found.mix, found.rate) == pytest.approx((0.0, 0.0))


def test_answers_without_an_intent_are_a_slice_of_their_own(split: Callable[..., MixRateSplit | None]) -> None:
    def usual(_hour: int) -> Hour:
        return {"intent=ask": (4, 80), "": (10, 20)}

    found = split(usual, lambda _hour: {"intent=ask": (2, 40), "": (30, 60)})
    assert found is not None
    assert found.rate == pytest.approx(0.0)
    assert found.mix == pytest.approx(found.after - found.before)


def test_what_was_excluded_from_the_history_is_not_what_was_before(
    memory_store: Store, split: Callable[..., MixRateSplit | None], monday: datetime
) -> None:
    first_week = {"start": monday, "end": monday + timedelta(days=7), "counts": False}
    decided = {"reason": "launch", "by": "Mina", "now": monday + timedelta(days=8)}
    decide_history(memory_store, "regeneration_rate", None, **first_week, **decided)  # type: ignore[arg-type]
    weeks = iter(range(DAYS * 24))

    def launched(_hour: int) -> Hour:
        return {"intent=ask": (80, 80), "intent=find": (20, 20)} if next(weeks) < 7 * 24 else steady(0)

    found = split(launched, steady)
    assert found is not None
    assert found.before == pytest.approx(0.08)


def test_without_a_history_there_is_no_change_to_split(split: Callable[..., MixRateSplit | None]) -> None:
    assert split(steady, steady, first_day=DAYS - 1) is None


def test_without_any_answer_there_is_no_change_to_split(split: Callable[..., MixRateSplit | None]) -> None:
    assert split(lambda _hour: {}, lambda _hour: {}) is None
