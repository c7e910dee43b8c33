"""A store with drawn answers, and a service whose clock can be moved."""

import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.samples.fresh_stores import fresh_store
from tests.samples.reviews import draw_reviews, reviewed_store
from tests.samples.searches import Searches
from tests.samples.servers import running_service

from ragvigil_monitor.keys import Keys
from ragvigil_monitor.review import queue
from ragvigil_monitor.review.kinds import Kind
from ragvigil_monitor.review.labels import Label
from ragvigil_monitor.settings import Review
from ragvigil_monitor.store import Store

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


@dataclass(slots=True)
class Desk:
    """The queue, with a clock that stands until it is moved."""

    store: Store
    settings: Review
    now: datetime = NOW

    def wait(self, **duration: float) -> None:
        """Move the clock."""
        self.now += timedelta(**duration)

    def take(self, reviewer: str = "ada", *, resume: bool = False, kind: Kind | None = None) -> queue.Lease | None:
        """The next item, or None."""
        return queue.lease_next(self.store, self.settings, reviewer, resume=resume, now=self.now, kind=kind)

    def must_take(self, reviewer: str = "ada", *, resume: bool = False, kind: Kind | None = None) -> queue.Lease:
        """The next item; there must be one."""
        lease = self.take(reviewer, resume=resume, kind=kind)
        assert lease is not None
        return lease

    def label(
        self, lease: queue.Lease, given: Label = Label.SUPPORTED, reviewer: str = "ada", label_id: str | None = None
    ) -> datetime:
        """Label an item."""
        return queue.label(
            self.store,
            lease.item_id,
            lease.lease_id,
            reviewer,
            given,
            label_id=label_id or str(uuid.uuid4()),
            now=self.now,
        )

    def skip(self, lease: queue.Lease, reviewer: str = "ada") -> None:
        """Pass an item over."""
        queue.skip(self.store, lease.item_id, lease.lease_id, reviewer, now=self.now)

    def progress(self, reviewer: str = "ada", *, kind: Kind | None = None) -> queue.Progress:
        """How far a reviewer is."""
        return queue.progress_of(self.store, self.settings, reviewer, self.now, kind=kind)


MakeDesk = Callable[..., Desk]
Table = Callable[[Store, str], list[dict[str, Any]]]
Draw = Callable[..., None]


@pytest.fixture
def make_queue() -> Callable[..., Desk]:
    """Makes a desk in front of a store where the draw has been."""
    return Desk


@pytest.fixture
def table() -> Table:
    """Asks a store in SQL."""

    def read(store: Store, sql: str) -> list[dict[str, Any]]:
        with store.transaction() as writer:
            found = writer._cursor.execute(sql)
            names = [column[0] for column in found.description]
            return [dict(zip(names, row, strict=True)) for row in found.fetchall()]

    return read


@pytest.fixture
def draw() -> Draw:
    """Decides about everything that is mature; unless told otherwise every answer is taken."""

    def run(store: Store, now: datetime = NOW, **settings: Any) -> None:
        chosen = {"uniform_share": 1.0, "salt": "x" * 16, **settings}
        with running_service(store, Keys.generate(), lambda: now, review=chosen) as service:
            draw_reviews(service)

    return run


@pytest.fixture
def make_searches() -> Iterator[Callable[[], Searches]]:
    """Makes stores to fill with retrievals."""
    stores: list[Store] = []

    def make() -> Searches:
        stores.append(fresh_store())
        return Searches(stores[-1])

    yield make
    for store in stores:
        store.close()


@pytest.fixture
def searches(make_searches: Callable[[], Searches]) -> Searches:
    """One store to fill."""
    return make_searches()


@pytest.fixture
def make_desk() -> Iterator[MakeDesk]:
    """Makes a desk with drawn answers; by default all of them are drawn, and one reviewer is enough."""
    stores = []

    def make(*, answers: int = 40, **settings: float) -> Desk:
        store = reviewed_store(NOW, answers=answers, days=1.0)
        stores.append(store)
        chosen = Review(**{"second_label_share": 0.0, "uniform_share": 1.0, "salt": "x" * 16, **settings})
        with running_service(store, Keys.generate(), lambda: NOW, review=chosen) as service:
            draw_reviews(service)
        return Desk(store, chosen)

    yield make
    for store in stores:
        store.close()


@pytest.fixture
def desk(make_desk: MakeDesk) -> Desk:
    return make_desk()
