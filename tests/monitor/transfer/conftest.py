"""A store with everything in it, and both kinds of ends."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime

import pytest
from tests.samples.filled_stores import fill
from tests.samples.fresh_stores import fresh_store
from tests.samples.servers import running_api, running_service

from ragvigil_monitor.keys import Keys, Role
from ragvigil_monitor.store import Store
from ragvigil_monitor.transfer.ends import End, LocalEnd
from ragvigil_monitor.transfer.remote import RemoteEnd

NOW = datetime(2026, 11, 30, 3, 0, tzinfo=UTC)
Opened = Callable[[Store], AbstractContextManager[End]]


@pytest.fixture(scope="module")
def full() -> Iterator[Store]:
    """A store that has rows in every table."""
    store = fresh_store()
    fill(store, NOW)
    yield store
    store.close()


@contextmanager
def _local(store: Store) -> Iterator[End]:
    yield LocalEnd(store, lambda: NOW)


@contextmanager
def _remote(store: Store) -> Iterator[End]:
    keys = Keys.generate()
    with (
        running_service(store, keys, lambda: NOW) as service,
        running_api(service) as url,
        RemoteEnd(url, keys.by_role[Role.ADMIN]) as end,
    ):
        yield end


@pytest.fixture(params=[_local, _remote], ids=["local", "over HTTP"])
def opened(request: pytest.FixtureRequest) -> Opened:
    """Opens the end of a store, in this process or by a real service."""
    found: Opened = request.param
    return found
