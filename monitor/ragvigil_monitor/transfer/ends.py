"""The other end of an export or import: a store that nobody serves, or a running service."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Protocol

import pyarrow as pa

from ragvigil_monitor.receiver.files.found import Found
from ragvigil_monitor.service import Clock
from ragvigil_monitor.store import Store
from ragvigil_monitor.store.migrate import newest_schema
from ragvigil_monitor.store.movable import BY_NAME
from ragvigil_monitor.store.putting_in import PutIn, put_in
from ragvigil_monitor.store.taking_out import Within
from ragvigil_monitor.transfer.exporting import Format, Part, exported
from ragvigil_monitor.transfer.importing import Outcomes, import_requests


class End(Protocol):
    """Where data comes from and goes to. Everything raises MonitorError when it does not succeed."""

    def schema_number(self) -> int:
        """The schema of its tables, which is the newest that it takes."""

    def files(self, form: Format, within: Within) -> Iterator[tuple[Part, Iterator[bytes]]]:
        """The files of an export and their bytes, all of one moment; each is read before the next one is asked for."""

    def put_requests(self, requests: Sequence[Found]) -> Outcomes:
        """Store what requests of one signal and content type hold; what became of it."""

    def put_rows(self, table: str, rows: pa.Table) -> PutIn:
        """Put rows of a table in; what became of them."""


class LocalEnd:
    """A store that this process has open."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    def schema_number(self) -> int:
        """As `End` says."""
        return newest_schema()

    def files(self, form: Format, within: Within) -> Iterator[tuple[Part, Iterator[bytes]]]:
        """As `End` says."""
        return exported(self._store, form, within)

    def put_requests(self, requests: Sequence[Found]) -> Outcomes:
        """As `End` says."""
        return Counter(import_requests(self._store, requests, self._clock()))

    def put_rows(self, table: str, rows: pa.Table) -> PutIn:
        """As `End` says."""
        return put_in(self._store, BY_NAME[table], rows)
