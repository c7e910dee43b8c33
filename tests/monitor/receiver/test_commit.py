"""Group commit: acknowledged when stored, once, and without taking the neighbours down."""

from concurrent.futures import Future
from datetime import timedelta
from typing import Any

import pytest
from tests.samples.fresh_stores import fresh_store
from tests.samples.otlp import NOW, rag_trace, span, trace_id

from ragvigil import attributes as names
from ragvigil_monitor.errors import Overloaded, StoreOutOfMemory, StoreUnavailable, WriteRefused
from ragvigil_monitor.receiver.batch import Batch
from ragvigil_monitor.receiver.columns import AT
from ragvigil_monitor.receiver.commit import MAX_WAITING_ROWS, Committer
from ragvigil_monitor.store import Store

WAIT_S = 20


def stored(store: Store, trace: int) -> list[dict[str, Any]]:
    around = {"start": NOW - timedelta(days=30), "end": NOW + timedelta(days=1)}
    return store.rows("spans_of_trace", trace_id=trace_id(trace), limit=1000, **around)


def answers(store: Store, trace: int) -> int:
    around = {"start": NOW - timedelta(days=30), "end": NOW + timedelta(days=1)}
    return len(store.rows("answers_of_trace", trace_id=trace_id(trace), **around))


def poisonous(batch: Batch) -> Batch:
    """A batch that no table takes: its JSON is cut off."""
    for row in batch.spans:
        row[AT["attributes"]] = '{"cut": '
    return batch


def submit_while_busy(store: Store, committer: Committer, *batches: Batch) -> list[Future[None]]:
    """Submit while another writer works, so that everything is committed in one group."""
    with store.transaction():
        first = committer.submit(Batch())
        return [first, *(committer.submit(batch) for batch in batches)]


def test_an_acknowledged_batch_is_stored(memory_store: Store, committer: Committer, batch_of: Any, totals: Any) -> None:
    committer.submit(batch_of(*rag_trace(0))).result(WAIT_S)
    assert len(stored(memory_store, 1)) == 6
    assert answers(memory_store, 1) == 1
    assert totals() == {"spans_committed": 6}


def test_nothing_is_acknowledged_before_it_is_stored(memory_store: Store, committer: Committer, batch_of: Any) -> None:
    with memory_store.transaction():
        future = committer.submit(batch_of(*rag_trace(0)))
        with pytest.raises(TimeoutError):
            future.result(0.1)
        assert stored(memory_store, 1) == []
    future.result(WAIT_S)
    assert len(stored(memory_store, 1)) == 6


def test_the_same_batch_three_times_is_stored_once(
    memory_store: Store, committer: Committer, batch_of: Any, totals: Any
) -> None:
    for _ in range(3):
        committer.submit(batch_of(*rag_trace(0))).result(WAIT_S)
    assert len(stored(memory_store, 1)) == 6
    assert answers(memory_store, 1) == 1
    assert totals() == {"spans_committed": 6, "spans_duplicate": 12}


def test_the_same_batch_three_times_in_one_group_is_stored_once(
    memory_store: Store, committer: Committer, batch_of: Any, totals: Any
) -> None:
    for future in submit_while_busy(memory_store, committer, *(batch_of(*rag_trace(0)) for _ in range(3))):
        future.result(WAIT_S)
    assert len(stored(memory_store, 1)) == 6
    assert answers(memory_store, 1) == 1
    assert totals() == {"spans_committed": 6, "spans_duplicate": 12}


def test_a_repeated_span_whose_neighbours_are_new_is_left_out(
    memory_store: Store, committer: Committer, batch_of: Any, totals: Any
) -> None:
    trace = rag_trace(0)
    committer.submit(batch_of(*trace[:3])).result(WAIT_S)
    committer.submit(batch_of(*trace[2:], *rag_trace(1, started_at=NOW - timedelta(minutes=50)))).result(WAIT_S)
    assert (len(stored(memory_store, 1)), len(stored(memory_store, 2))) == (6, 6)
    assert totals() == {"spans_committed": 12, "spans_duplicate": 1}


def test_equal_span_ids_in_different_traces_are_different_spans(
    memory_store: Store, committer: Committer, batch_of: Any, totals: Any
) -> None:
    committer.submit(batch_of(span(1, trace=1), span(1, trace=2))).result(WAIT_S)
    assert totals() == {"spans_committed": 2}


def test_a_child_that_comes_before_its_root_is_stored(memory_store: Store, committer: Committer, batch_of: Any) -> None:
    root, *children = rag_trace(0)
    committer.submit(batch_of(*children)).result(WAIT_S)
    committer.submit(batch_of(root)).result(WAIT_S)
    assert {row["answer_span_id"] for row in stored(memory_store, 1)} == {root.span_id}


def test_a_batch_that_cannot_be_stored_fails_alone(
    memory_store: Store, committer: Committer, batch_of: Any, totals: Any
) -> None:
    bad = poisonous(batch_of(*rag_trace(1)))
    _, before, poison, after = submit_while_busy(
        memory_store, committer, batch_of(*rag_trace(0)), bad, batch_of(*rag_trace(2))
    )
    before.result(WAIT_S)
    after.result(WAIT_S)
    with pytest.raises(WriteRefused):
        poison.result(WAIT_S)
    assert [len(stored(memory_store, trace)) for trace in (1, 2, 3)] == [6, 0, 6]
    assert totals() == {"spans_committed": 12, "rejected_not_storable": 6}


def test_a_batch_that_arrow_cannot_hold_fails_alone(
    memory_store: Store, committer: Committer, batch_of: Any, totals: Any
) -> None:
    bad = batch_of(*rag_trace(1))
    bad.spans[0][AT["input_tokens"]] = 2**70
    _, good, failed = submit_while_busy(memory_store, committer, batch_of(*rag_trace(0)), bad)
    good.result(WAIT_S)
    with pytest.raises(OverflowError):
        failed.result(WAIT_S)
    assert totals() == {"spans_committed": 6, "rejected_not_storable": 6}


def test_the_committer_goes_on_after_a_failure(memory_store: Store, committer: Committer, batch_of: Any) -> None:
    with pytest.raises(WriteRefused):
        committer.submit(poisonous(batch_of(*rag_trace(0)))).result(WAIT_S)
    committer.submit(batch_of(*rag_trace(1))).result(WAIT_S)
    assert len(stored(memory_store, 2)) == 6


def test_a_disk_that_takes_nothing_fails_every_batch_as_try_later(batch_of: Any) -> None:
    store = fresh_store()
    with Committer(store, clock=lambda: NOW) as committer:
        store.close()
        futures = [committer.submit(batch_of(*rag_trace(number))) for number in range(3)]
        for future in futures:
            with pytest.raises(StoreUnavailable):
                future.result(WAIT_S)


def test_a_batch_that_needs_too_much_memory_is_for_later_and_its_neighbours_are_stored(batch_of: Any) -> None:
    store = Store.open(None, memory_limit="60MB")
    huge = batch_of(*rag_trace(0))
    huge.spans[0][AT["attributes"]] = f'{{"text": "{"a" * 70_000_000}"}}'
    with Committer(store, clock=lambda: NOW) as committer:
        first, refused, neighbour = submit_while_busy(store, committer, huge, batch_of(*rag_trace(1)))
        first.result(WAIT_S)
        neighbour.result(WAIT_S)
        with pytest.raises(StoreOutOfMemory):
            refused.result(WAIT_S)
    assert [len(stored(store, trace)) for trace in (1, 2)] == [0, 6]
    assert [row["outcome"] for row in store.rows("ingest_totals")] == ["spans_committed"]
    assert store.disk.troubles(NOW) == []
    store.close()


def test_more_than_may_wait_is_refused_and_what_waits_is_kept(memory_store: Store, batch_of: Any, totals: Any) -> None:
    with Committer(memory_store, clock=lambda: NOW, max_waiting=2) as committer:
        accepted: list[Future[None]] = []
        with memory_store.transaction(), pytest.raises(Overloaded, match="2 requests wait"):
            accepted.extend(committer.submit(batch_of(span(number))) for number in range(1, 20))
        for future in accepted:
            future.result(WAIT_S)
    assert totals() == {"spans_committed": len(accepted)}


def test_more_rows_than_may_wait_are_refused_unless_nothing_waits(memory_store: Store, batch_of: Any) -> None:
    large = batch_of(span(1))
    large.spans = large.spans * (MAX_WAITING_ROWS + 1)
    with Committer(memory_store, clock=lambda: NOW) as committer:
        with memory_store.transaction():
            alone = committer.submit(large)
            with pytest.raises(Overloaded, match="150,001 rows wait to be stored already"):
                committer.submit(batch_of(span(2)))
        alone.result(4 * WAIT_S)
        committer.submit(batch_of(span(2))).result(WAIT_S)


def test_closing_stores_what_waits_and_refuses_what_comes_after(
    memory_store: Store, batch_of: Any, totals: Any
) -> None:
    committer = Committer(memory_store, clock=lambda: NOW)
    futures = submit_while_busy(memory_store, committer, *(batch_of(*rag_trace(number)) for number in range(5)))
    committer.close()
    committer.close()
    assert all(future.done() for future in futures)
    assert totals() == {"spans_committed": 30}
    with pytest.raises(Overloaded, match="shutting down"):
        committer.submit(batch_of(span(1)))


def test_a_batch_that_is_being_decoded_is_waited_for_only_a_moment(
    memory_store: Store, committer: Committer, batch_of: Any, totals: Any
) -> None:
    with committer.announced():
        committer.submit(batch_of(*rag_trace(0))).result(WAIT_S)
    assert totals() == {"spans_committed": 6}


def test_outcomes_are_counted_by_service_and_hour(memory_store: Store, committer: Committer, batch_of: Any) -> None:
    for service in ("shop", "help", "shop"):
        batch = batch_of(span(1, {names.STAGE_COST: -1}, trace_id=b""), resource={names.SERVICE_NAME: service})
        committer.submit(batch).result(WAIT_S)
    rows = memory_store.rows("ingest_totals")
    assert {(row["service"], row["outcome"]): row["items"] for row in rows} == {
        ("shop", "rejected_bad_id"): 2,
        ("help", "rejected_bad_id"): 1,
    }
