"""An export as files in a directory."""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import BinaryIO, Final

from ragvigil_monitor.errors import TransferFailed
from ragvigil_monitor.store.taking_out import Within
from ragvigil_monitor.transfer.ends import End
from ragvigil_monitor.transfer.exporting import Format, Part

MANIFEST: Final = "export.json"
_SUFFIXES: Final = {Format.PARQUET: ".parquet", Format.OTLP: ".jsonl"}

Tell = Callable[[Path, int], None]
"""Told of each file that is written, with its size in bytes."""


def export_to(directory: Path, source: End, form: Format, within: Within, now: datetime, tell: Tell) -> int:
    """Write the files of an export, each under its name only when it is whole; how many there are.

    `export.json` is written last. Raises MonitorError, and leaves what was written before.
    """
    written: list[str] = []
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        for part, content in source.files(form, within):
            path = directory / _name(part, form)
            tell(path, _write(path, content))
            written.append(str(path.relative_to(directory)))
        _write(directory / MANIFEST, iter([_manifest(form, within, now, written)]))
    except OSError as failure:
        raise TransferFailed(f"{directory} cannot be written: {failure}") from failure
    return len(written)


def _name(part: Part, form: Format) -> Path:
    suffix = _SUFFIXES[form]
    return Path(part.name + suffix) if part.day is None else Path(part.name, f"{part.day.isoformat()}{suffix}")


def _write(path: Path, content: Iterator[bytes]) -> int:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _whole_or_not(path) as file:
        return sum(file.write(chunk) for chunk in content)


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


def _manifest(form: Format, within: Within, now: datetime, files: list[str]) -> bytes:
    said = {
        "made_by": f"ragvigil {version('ragvigil')}",
        "made_at": now.isoformat(),
        "format": form.value,
        "from": within.start and within.start.isoformat(),
        "until": within.end and within.end.isoformat(),
        "files": files,
    }
    return json.dumps(said, indent=2).encode() + b"\n"
