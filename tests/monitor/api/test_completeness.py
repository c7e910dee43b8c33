"""How complete the telemetry is."""

from datetime import datetime, timedelta
from typing import Any

from tests.samples.world import World

from ragvigil_monitor.telemetry_tables import INGEST_COUNTS, PROCESS_COUNTS, to_arrow


def test_stored_is_compared_with_what_a_process_began(sampled: World) -> None:
    (process,) = sampled.get("/completeness")
    assert process["service"] == "shop"
    assert (process["started"], process["exported"], process["dropped"]) == (3012, 3000, 12)
    assert process["stored"] == 3000
    assert process["share"] == 3000 / 3012


def test_a_sender_without_counts_is_not_reported_rather_than_complete(empty: World) -> None:
    empty.put(spans=[{"service": "other", "instance_id": None}, {"service": "sdk", "instance_id": "i-9"}])
    found = {row["service"]: row for row in empty.get("/completeness")}
    assert found["other"]["stored"] == found["sdk"]["stored"] == 1
    for row in found.values():
        assert row["started"] is row["share"] is row["reported_at"] is None


def test_a_process_of_which_nothing_arrived_is_shown_with_a_share_of_zero(empty: World) -> None:
    _report(empty, "i-1", started=10, exported=0)
    (row,) = empty.get("/completeness")
    assert (row["stored"], row["share"]) == (0, 0.0)


def test_a_process_that_began_nothing_has_no_share(empty: World) -> None:
    _report(empty, "i-1", started=0, exported=0)
    (row,) = empty.get("/completeness")
    assert (row["started"], row["share"]) == (0, None)


def test_spans_after_the_report_are_not_yet_compared(empty: World) -> None:
    _report(empty, "i-1", started=1, exported=1, minutes_ago=10)
    empty.put(
        spans=[
            {"instance_id": "i-1", "started_at": empty.ago(minutes=11)},
            {"instance_id": "i-1", "started_at": empty.ago(minutes=1)},
        ]
    )
    (row,) = empty.get("/completeness")
    assert (row["stored"], row["share"]) == (1, 1.0)


def test_the_latest_process_comes_first_and_ancient_ones_are_left_out(empty: World) -> None:
    _report(empty, "old", started=1, exported=1, minutes_ago=60 * 24 * 100)
    _report(empty, "earlier", started=1, exported=1, minutes_ago=60)
    _report(empty, "now", started=1, exported=1)
    assert [row["instance_id"] for row in empty.get("/completeness")] == ["now", "earlier"]


def test_outcomes_are_summed_over_the_hours(empty: World) -> None:
    for hours in (1, 2):
        _count(empty, empty.now - timedelta(hours=hours), [["shop", "spans_committed", 5]])
    _count(empty, empty.now, [["shop", "rejected_bad_id", 1]])
    assert empty.get("/ingest") == [
        {"service": "shop", "outcome": "rejected_bad_id", "items": 1},
        {"service": "shop", "outcome": "spans_committed", "items": 10},
    ]


def test_an_empty_store_knows_no_process(empty: World) -> None:
    assert empty.get("/completeness") == empty.get("/ingest") == []


def test_what_is_lost_on_disk_is_no_longer_counted_there_whatever_the_order_of_reports(empty: World) -> None:
    _report(empty, "p", started=9, exported=1, spooled=2, dropped=6)
    _report(empty, "p", started=9, exported=1, spooled=8, minutes_ago=5)
    (row,) = empty.get("/completeness")
    assert (row["exported"], row["spooled"], row["dropped"]) == (1, 2, 6)


def _report(
    world: World,
    instance: str,
    *,
    started: int,
    exported: int,
    spooled: int = 0,
    dropped: int = 0,
    minutes_ago: float = 0,
) -> None:
    reported_at = world.ago(minutes=minutes_ago)
    row: list[Any] = [instance, "shop", "1.0", reported_at, started, exported, spooled, dropped]
    with world.store.transaction() as writer:
        writer.execute_with("add_process_counts", to_arrow(PROCESS_COUNTS, [row]))


def _count(world: World, at: datetime, rows: list[list[Any]]) -> None:
    with world.store.transaction() as writer:
        writer.execute_with("add_ingest_counts", to_arrow(INGEST_COUNTS, rows), received_at=at)
