"""Files into a store or a service, each told of."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pyarrow as pa

from ragvigil_monitor.errors import FileRefused, WriteRefused
from ragvigil_monitor.receiver.files.found import Found, Refused
from ragvigil_monitor.store.movable import BY_NAME
from ragvigil_monitor.store.putting_in import PutIn
from ragvigil_monitor.transfer.ends import End
from ragvigil_monitor.transfer.importing import Outcomes
from ragvigil_monitor.transfer.listed_files import ListedFile
from ragvigil_monitor.transfer.parquet import row_batches, table_name
from ragvigil_monitor.transfer.request_files import pieces

GROUP_BYTES: Final = 4 << 20
"""So much is sent and stored at once."""
PARQUET_MAGIC: Final = b"PAR1"


@dataclass(slots=True)
class FileReport:
    """What became of a file: requests and their spans and records, or rows of a table. failure: why it ended early."""

    path: Path
    table: str | None = None
    requests: int = 0
    outcomes: Outcomes = field(default_factory=Counter)
    rows: PutIn = field(default_factory=PutIn)
    failure: str | None = None

    @property
    def is_complete(self) -> bool:
        """Whether everything in the file is in the store."""
        return self.failure is None and not any(outcome.startswith("rejected_") for outcome in self.outcomes)


def import_file(file: ListedFile, target: End, max_bytes: int) -> FileReport:
    """Import one file; the report says what is wrong with it, a MonitorError what is wrong with the target."""
    report = FileReport(file.path)
    try:
        file.check()
        with file.path.open("rb") as content:
            is_parquet = content.read(len(PARQUET_MAGIC)) == PARQUET_MAGIC
        if is_parquet:
            _import_table(report, target)
        else:
            _import_requests(report, target, max_bytes)
    except OSError as failure:  # what Arrow raises for damage, too
        report.failure = f"{file.path} cannot be read: {failure}"
    except FileRefused as failure:
        report.failure = str(failure)
    return report


def _import_table(report: FileReport, target: End) -> None:
    path = report.path
    try:
        report.table = table_name(path)
        if report.table not in BY_NAME:
            raise FileRefused(f"{path} holds no table of Ragvigil, but {report.table[:80]!r}.")
        for rows in row_batches(path, GROUP_BYTES):
            report.rows += target.put_rows(report.table, rows)
    except (pa.ArrowException, UnicodeDecodeError) as failure:
        report.failure = f"{path} cannot be read as Parquet: {failure}"
    except WriteRefused as failure:
        report.failure = str(failure)


def _import_requests(report: FileReport, target: End, max_bytes: int) -> None:
    for group in _groups(report, max_bytes):
        report.outcomes += target.put_requests(group)
        report.requests += len(group)


def _groups(report: FileReport, max_bytes: int) -> Iterator[list[Found]]:
    """Requests of one signal and content type that follow each other; what is none is counted."""
    group: list[Found] = []
    size = 0
    for piece in pieces(report.path, max_bytes):
        if isinstance(piece, Refused):
            report.outcomes[f"rejected_{piece.reason}"] += 1
            continue
        if group and (size + len(piece.body) > GROUP_BYTES or _kind(piece) != _kind(group[0])):
            yield group
            group, size = [], 0
        group.append(piece)
        size += len(piece.body)
    if group:
        yield group


def _kind(piece: Found) -> tuple[str, str]:
    return piece.signal, piece.content_type
