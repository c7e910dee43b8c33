from collections.abc import Callable
from datetime import datetime, timedelta

from ragvigil_monitor.drift.encoder import Encoder
from ragvigil_monitor.drift.onset_counts import unusual_by_hour
from ragvigil_monitor.service import Service
from ragvigil_monitor.signals.signal import Window
from ragvigil_monitor.statistics.onset import onset
from ragvigil_monitor.store import Store

MakeService = Callable[..., Service]
Add = Callable[..., None]
Run = Callable[..., dict[str, int]]
ENCODER = Encoder("encoder-1", 12)
TWO_WEEKS_H = 14 * 24
FIT = ("drift_hours", "drift_days", "drift_references")


def test_queries_of_a_new_topic_are_unusual_from_its_first_hour_on(
    drift_service: MakeService, add_queries: Add, run_drift: Run, memory_store: Store, monday: datetime
) -> None:
    new_h = TWO_WEEKS_H + 30
    add_queries(0, new_h + 24, new_from_h=new_h, new=0.3)
    run_drift(drift_service(), new_h + 24, FIT)
    end = monday + timedelta(hours=new_h + 12)
    start = end - timedelta(hours=100)
    unusual, totals = unusual_by_hour(memory_store, ENCODER, Window(end, 86400), (start, end))
    assert len(totals) == 101
    assert 1_800 < totals.sum() < 2_200
    found = onset(unusual, totals)
    assert found is not None
    assert abs(found.at - 88) <= 3
    assert 0.01 < unusual[:88].sum() / totals[:88].sum() < 0.03


def test_without_a_reference_nothing_is_unusual(
    drift_service: MakeService, add_queries: Add, run_drift: Run, memory_store: Store, monday: datetime
) -> None:
    add_queries(0, 48)
    run_drift(drift_service(), 48, FIT)
    end = monday + timedelta(hours=48)
    unusual, totals = unusual_by_hour(memory_store, ENCODER, Window(end, 86400), (monday, end))
    assert (unusual.sum(), totals.sum()) == (0, 960)
