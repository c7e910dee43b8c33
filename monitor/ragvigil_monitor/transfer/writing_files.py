"""An export as files in a directory."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from errno import EDQUOT, ENOSPC
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import BinaryIO, Final

import pyarrow as pa
import pyarrow.parquet as pq

from ragvigil_monitor.errors import TransferFailed
from ragvigil_monitor.store.taking_out import Within
from ragvigil_monitor.transfer.ends import End
from ragvigil_monitor.transfer.exporting import Format, Part
from ragvigil_monitor.transfer.manifest import MANIFEST, UNFINISHED, ExportedFile, Manifest, tables_of

_SUFFIXES: Final = {Format.PARQUET: ".parquet", Format.OTLP: ".jsonl"}

Tell = Callable[[ExportedFile], None]
"""Told of each file that is written."""


def export_to(directory: Path, source: End, form: Format, within: Within, now: datetime, tell: Tell) -> Manifest:
    """Write the files of an export, each under its name only when it is whole, and `export.json` last.

    Raises MonitorError, and takes away again what it wrote; a directory that holds an export is left as it is.
    """
    _check_free(directory)
    written: list[ExportedFile] = []
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _whole_or_not(directory / MANIFEST) as list_of_all:
            schema_number = source.schema_number()
            for part, content in source.files(form, within):
                written.append(_write(directory, part, form, content))
                tell(written[-1])
            manifest = _manifest(form, schema_number, within, now, written)
            list_of_all.write(manifest.text().encode())
    except BaseException as failure:
        _take_away(directory, written)
        if isinstance(failure, OSError):
            raise TransferFailed(_explained(directory, failure)) from failure
        raise
    return manifest


def _check_free(directory: Path) -> None:
    """A second export in the same place would leave days of the first one among its own."""
    if directory.exists() and not directory.is_dir():
        raise TransferFailed(f"{directory} cannot be written: it is a file. Name a directory.")
    for name, what in ((MANIFEST, "an export"), (UNFINISHED, "an export that was not finished")):
        if (directory / name).exists():
            raise TransferFailed(f"{directory} holds {what} already. Name another directory, or remove it first.")


def _explained(directory: Path, failure: OSError) -> str:
    if failure.errno in {ENOSPC, EDQUOT}:
        return f"There is no room for the export in {directory}; what was written of it is removed again."
    return f"{directory} cannot be written: {failure}"


def _take_away(directory: Path, written: list[ExportedFile]) -> None:
    for file in written:
        path = directory / file.name
        with suppress(OSError):
            path.unlink()
            if path.parent != directory:
                path.parent.rmdir()  # refused while something is in it


def _write(directory: Path, part: Part, form: Format, content: Iterator[bytes]) -> ExportedFile:
    path = directory / _name(part, form)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    digest, size, lines = sha256(), 0, 0
    with _whole_or_not(path) as file:
        for chunk in content:
            file.write(chunk)
            digest.update(chunk)
            size += len(chunk)
            lines += chunk.count(b"\n")
    rows = lines if form is Format.OTLP else _rows(path)
    name = path.relative_to(directory).as_posix()
    return ExportedFile(name=name, table=part.name, rows=rows, bytes=size, sha256=digest.hexdigest())


def _rows(path: Path) -> int:
    """How many rows a file has; raises TransferFailed when a service sent something else than Parquet."""
    try:
        return int(pq.read_metadata(path).num_rows)
    except pa.ArrowException as failure:
        raise TransferFailed(f"{path.name} is no Parquet as it was sent: {failure}") from failure


def _name(part: Part, form: Format) -> Path:
    suffix = _SUFFIXES[form]
    return Path(part.name + suffix) if part.day is None else Path(part.name, f"{part.day.isoformat()}{suffix}")


@contextmanager
def _whole_or_not(path: Path) -> Iterator[BinaryIO]:
    """A file that gets its name when it is complete and on disk; only its owner can read it."""
    partial = path.with_name(path.name + ".part")
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def _manifest(form: Format, schema_number: int, within: Within, now: datetime, files: list[ExportedFile]) -> Manifest:
    return Manifest(
        made_by=f"ragvigil {version('ragvigil')}",
        made_at=now,
        format=form,
        schema_number=schema_number,
        start=within.start,
        end=within.end,
        tables=tables_of(files),
        files=files,
    )
