"""The errors that the monitor raises, as a tree.

MonitorError
├── StoreError            the database file cannot be used
│   ├── StoreLocked       another process holds it
│   ├── StoreTooNew       a newer Ragvigil wrote it
│   ├── NotABackup        it is no backup, or a damaged one
│   ├── StoreUnavailable  it cannot be written now, for example because the disk is full
│   │   └── StoreOutOfMemory  it has too little memory for this; others may be written
│   └── WriteRefused      it refuses these values
├── TransferFailed        an export or import did not succeed
│   └── FileRefused       because of this file
├── BackupFailed          a backup or restore was not made, and changed nothing
├── Overloaded            more waits than is allowed; worth another try later
├── ConfigurationError    a setting is missing or not valid
├── UnknownAlert          there is no alert with this id
├── ClockWentBack         a job is done up to a time that has not come yet
├── HoursNotSummed        hours could not be added up
├── ProcessFailed         a child process did not start or ended on its own
├── AlibiFailed           alibi-detect did not compute what it was asked for
├── ReviewRefused         a label or skip cannot be taken
│   ├── UnknownItem       there is no item with this id
│   ├── NotLeased         the item is not in the hands of this reviewer
│   ├── AlreadyReviewed   the lease or the label's id was used before
│   ├── LeaseExpired      it comes after the end of the lease
│   ├── WrongKind         the item asks something else
│   ├── UnknownEvidence   it names documents that the item does not show
│   ├── EvidenceWithoutText   it marks documents that have no text
│   └── EvidenceGone      no text of the item's documents is stored
└── BadTelemetry          a request body is not what the protocol asks for
"""

from collections.abc import Iterable
from datetime import datetime


class MonitorError(Exception):
    """Base of everything that the monitor raises on purpose; its text is meant for a person."""


class StoreError(MonitorError):
    """The database file cannot be used."""


class StoreLocked(StoreError):  # noqa: N818 - a state, as in sqlite3 and duckdb
    """Another process has the database open; `address` is where it serves it, if that is certain."""

    def __init__(self, message: str, address: str | None = None) -> None:
        super().__init__(message)
        self.address = address


class StoreTooNew(StoreError):  # noqa: N818
    """The database was written by a newer version."""


class NotABackup(StoreError):  # noqa: N818
    """The file is no backup that can be restored: another file, or a damaged one."""


class StoreUnavailable(StoreError):  # noqa: N818
    """The database cannot be written now; what was to be written is not in it."""


class StoreOutOfMemory(StoreUnavailable):
    """The database has too little memory for a transaction, which is not in it; smaller ones may be stored."""


class WriteRefused(StoreError, ValueError):  # noqa: N818
    """The database refuses the values of a transaction, and would refuse them again."""


class TransferFailed(MonitorError):  # noqa: N818
    """An export or import did not succeed; its text says with what and why."""


class FileRefused(TransferFailed, ValueError):  # noqa: N818
    """A file is not what an import reads, or holds rows that the store refuses; others may be read."""


class BackupFailed(MonitorError):  # noqa: N818
    """A backup or restore was not made, and nothing was changed; `status` is the HTTP status that says so."""

    def __init__(self, message: str, status: int = 500) -> None:
        super().__init__(message)
        self.status = status


class Overloaded(MonitorError):  # noqa: N818
    """More waits already than is allowed; worth another try later."""


class ConfigurationError(MonitorError, ValueError):
    """A setting is missing or not valid."""


class ProcessFailed(MonitorError):  # noqa: N818
    """A child process did not start, or ended on its own."""


class AlibiFailed(MonitorError):  # noqa: N818
    """The environment of alibi-detect is not there, may not be used, or gave no usable answer."""


class BadTelemetry(MonitorError, ValueError):  # noqa: N818
    """A request body cannot be read; `status` is the HTTP status that says so."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


class ReviewRefused(MonitorError):  # noqa: N818
    """A label or skip cannot be taken, and nothing was stored; `status` is the HTTP status that says so."""

    status = 409


class UnknownItem(ReviewRefused, KeyError):  # noqa: N818
    """There is no item with this id."""

    status = 404

    def __init__(self, item_id: str) -> None:
        super().__init__(f"There is no item {item_id[:80]!r}.")
        self.item_id = item_id

    __str__ = Exception.__str__  # KeyError would quote the sentence


class NotLeased(ReviewRefused):
    """The item is not in the hands of this reviewer."""


class AlreadyReviewed(ReviewRefused):
    """The lease was answered before, or the label's id belongs to another label."""


class LeaseExpired(ReviewRefused):
    """The label comes after the end of the lease."""

    status = 410


class WrongKind(ReviewRefused):
    """A label of an answer for a relevance item, or the other way round."""


class UnknownEvidence(ReviewRefused, ValueError):  # noqa: N818
    """Documents are marked that the item does not show."""

    status = 422

    def __init__(self, evidence_ids: Iterable[str]) -> None:
        super().__init__(
            f"This item shows no document {_listed(evidence_ids)}; nothing was stored. Send ids of its evidence."
        )


class EvidenceWithoutText(ReviewRefused, ValueError):  # noqa: N818
    """Documents are marked whose text was not recorded, so that nobody can have judged them."""

    status = 422

    def __init__(self, evidence_ids: Iterable[str]) -> None:
        super().__init__(
            f"This item has no text of document {_listed(evidence_ids)}; nothing was stored. "
            "Mark only documents that have a text."
        )


def _listed(ids: Iterable[str]) -> str:
    """The first of some ids, cut, and how many more there are."""
    named = sorted(ids)
    more = f" and {len(named) - 5} more" if len(named) > 5 else ""
    return ", ".join(repr(id_[:80]) for id_ in named[:5]) + more


class EvidenceGone(ReviewRefused):
    """The documents of an item cannot be read any more, so that no label could say what it is about."""

    status = 410

    def __init__(self) -> None:
        super().__init__("No text of this item's documents is stored any more, so it cannot be labelled. Skip it.")


class UnknownAlert(MonitorError, KeyError):  # noqa: N818
    """There is no alert with this id."""

    def __init__(self, alert_id: str) -> None:
        super().__init__(f"There is no alert {alert_id[:80]!r}.")
        self.alert_id = alert_id


class ClockWentBack(MonitorError):  # noqa: N818
    """A job is done up to a time that has not come yet."""

    def __init__(self, job: str, done_up_to: datetime, now: datetime) -> None:
        super().__init__(
            f"{job} is done up to {done_up_to.isoformat()}, but it is {now.isoformat()} now: the clock went back. "
            "The job goes on when that time has come."
        )


class HoursNotSummed(MonitorError):  # noqa: N818
    """Some hours could not be added up; questions about them read spans."""

    def __init__(self, hours: int, newest: datetime, error: str) -> None:
        super().__init__(f"{hours} hours cannot be added up, the newest {newest.isoformat()}: {error}")
        self.hours = hours
