"""Batches are stored in groups: in order where one group waits, and each alone where no table takes a group."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.samples.otlp import NOW, rag_trace

from ragvigil_monitor.errors import Overloaded, StoreUnavailable
from ragvigil_monitor.receiver import storing
from ragvigil_monitor.receiver.batch import Batch
from ragvigil_monitor.receiver.columns import AT
from ragvigil_monitor.receiver.commit import Committer
from ragvigil_monitor.receiver.storing import Storing
from ragvigil_monitor.service import Service
from ragvigil_monitor.store import Store

Part = Callable[[int], Batch]


@pytest.fixture(autouse=True)
def _small_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storing, "GROUP_ROWS", 12)


@pytest.fixture
def service(make_service: Any) -> Service:
    made: Service = make_service(NOW)
    return made


@pytest.fixture
def part(batch_of: Any) -> Part:
    """A trace, behind which a file is read up to that number of bytes."""

    def made(number: int) -> Batch:
        batch: Batch = batch_of(*rag_trace(number))
        batch.positions.append(["/folder", "7", number, "tail"])
        return batch

    return made


def spoilt(batch: Batch) -> Batch:
    batch.spans[0][AT["attributes"]] = '{"cut": '
    return batch


def position(store: Store) -> int:
    (found,) = store.rows("file_position_of", folder="/folder", inode="7")
    return int(found["position"])


@pytest.mark.parametrize("depth", [1, 3])
@pytest.mark.parametrize("bad", [0, 3, 9], ids=["first", "middle", "last"])
def test_of_a_group_that_no_table_takes_the_others_are_stored(
    service: Service, memory_store: Store, part: Part, totals: Any, depth: int, bad: int
) -> None:
    group = Storing(service, depth)
    for number in range(10):
        group.add(spoilt(part(number)) if number == bad else part(number))
    group.finish()
    assert totals() == {"spans_committed": 54, "rejected_not_storable": 6}
    if depth == 1:
        assert position(memory_store) == 9


@pytest.mark.parametrize("fails_at", range(1, 5))
def test_with_one_group_no_position_is_stored_without_what_lies_before_it(
    service: Service, memory_store: Store, part: Part, totals: Any, monkeypatch: pytest.MonkeyPatch, fails_at: int
) -> None:
    commits, calls = Committer._write, iter(range(1, 100))

    def sometimes(committer: Committer, batches: list[Batch]) -> None:
        if next(calls) == fails_at:
            raise StoreUnavailable("The disk is full.")
        commits(committer, batches)

    monkeypatch.setattr(Committer, "_write", sometimes)
    group = Storing(service, depth=1)
    with pytest.raises(StoreUnavailable):
        _add_all(group, part, 10)
    stored = 2 * (fails_at - 1)
    assert totals().get("spans_committed", 0) == 6 * stored
    assert not stored or position(memory_store) == stored - 1


def _add_all(group: Storing, part: Part, count: int) -> None:
    for number in range(count):
        group.add(part(number))
    group.finish()


@pytest.fixture
def narrow(make_service: Any, memory_store: Store) -> Iterator[Service]:
    """A service whose committer lets one batch wait."""
    made = make_service(NOW)
    with Committer(memory_store, clock=lambda: NOW, max_waiting=1) as committer:
        yield Service(memory_store, made.settings, made.keys, committer, made.clock)


def test_what_the_committer_does_not_take_yet_waits(narrow: Service, part: Part, totals: Any) -> None:
    _add_all(Storing(narrow, depth=8), part, 40)
    assert totals() == {"spans_committed": 240}


def test_a_committer_that_takes_nothing_is_told(narrow: Service, part: Part) -> None:
    narrow.committer.close()
    with pytest.raises(Overloaded):
        _add_all(Storing(narrow, depth=8), part, 2)


def test_a_batch_of_positions_alone_that_is_not_storable_ends(
    service: Service, part: Part, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object) -> None:
        raise ValueError("no table takes this")

    monkeypatch.setattr(Committer, "_write", failing)
    monkeypatch.setattr(Committer, "_count_not_storable", lambda *_: None)
    group = Storing(service, depth=1)
    group.add(part(1))
    group.finish()
