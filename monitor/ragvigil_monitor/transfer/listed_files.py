"""The files of an import, and what the list of their export says of them."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ragvigil_monitor.errors import FileRefused, TransferFailed
from ragvigil_monitor.store.movable import MOVABLE
from ragvigil_monitor.transfer.exporting import Format
from ragvigil_monitor.transfer.manifest import MANIFEST, UNFINISHED, ExportedFile, Manifest, read_manifest

_ORDER: Final = {table.name: place for place, table in enumerate(MOVABLE)}
_PASSED_OVER: Final = frozenset({".part", ".rejected"})


@dataclass(frozen=True, slots=True)
class ListedFile:
    """A file to import. export: what lies in a directory above it says of itself. said: what that says of the file."""

    path: Path
    export: Manifest | None = None
    said: ExportedFile | None = None

    def check(self) -> None:
        """Raise FileRefused for a file that is not as it was exported, OSError for one that cannot be read."""
        if self.export is not None and self.said is None:
            raise FileRefused(
                f"{self.path} is not in the {MANIFEST} above it, so it is left out; name it to import it."
            )
        if self.said is None:
            return
        if not self.path.is_file():
            raise FileRefused(f"{self.path} is missing; its {MANIFEST} says {self.said.rows:,} rows.")
        if (size := self.path.stat().st_size) != self.said.bytes:
            what = "is cut off" if size < self.said.bytes else "was changed"
            raise self._refused(f"{what}: it has {size:,} bytes, not {self.said.bytes:,}")
        with self.path.open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != self.said.sha256:
                raise self._refused("was changed or damaged after it was exported")

    def _refused(self, what: str) -> FileRefused:
        return FileRefused(
            f"{self.path} {what}. Nothing of it is imported; name the file itself to import it as it is."
        )


def listed_files(paths: Iterable[Path]) -> list[ListedFile]:
    """The files to import, directories replaced by what lies in them, tables in the order in which they are wanted.

    Raises TransferFailed for a path that is not there, a directory with nothing in it, and an unfinished export.
    """
    found: list[ListedFile] = []
    for path in paths:
        if not path.exists():
            raise TransferFailed(f"There is no {path}.")
        if path.name in {MANIFEST, UNFINISHED} and path.is_file():
            raise TransferFailed(f"{path} is the list of an export and holds no data; name its directory.")
        found += _in_directory(path) if path.is_dir() else [ListedFile(path)]
    return found


def check_schema(files: Iterable[ListedFile], knows: int) -> None:
    """Raise TransferFailed for tables of a newer schema than `knows`, whose columns mean something unknown."""
    for file in files:
        export = file.export
        if export is not None and export.format is Format.PARQUET and export.schema_number > knows:
            raise TransferFailed(
                f"{file.path.parent} is of an export from schema {export.schema_number}, by {export.made_by}; the "
                f"store takes up to {knows}. Install the version that wrote it, or a newer one; nothing was imported."
            )


def _in_directory(directory: Path) -> list[ListedFile]:
    there = {path for path in directory.rglob("*") if path.is_file()}
    for path in sorted(path for path in there if path.name == UNFINISHED):
        raise TransferFailed(
            f"{path.parent} holds an export that was not finished, or is being written. Export again, or name files."
        )
    exports = {path.parent: _manifest(path) for path in there if path.name == MANIFEST}
    listed = {file.path: file for parent, export in exports.items() for file in _said(parent, export)}
    others = [
        ListedFile(path, next((exports[parent] for parent in path.parents if parent in exports), None))
        for path in there - listed.keys()
        if path.name != MANIFEST and not path.name.startswith(".") and path.suffix not in _PASSED_OVER
    ]
    if not listed and not others:
        raise TransferFailed(f"There is nothing to import in {directory}.")
    return sorted((*listed.values(), *others), key=lambda file: _place(file.path))


def _manifest(path: Path) -> Manifest:
    try:
        return read_manifest(path)
    except OSError as failure:
        raise TransferFailed(f"{path} cannot be read: {failure}") from failure


def _said(directory: Path, export: Manifest) -> Iterator[ListedFile]:
    """A list may come from anywhere: it names nothing outside its directory."""
    for file in export.files:
        parts = Path(file.name)
        if parts.is_absolute() or ".." in parts.parts:
            raise FileRefused(f"{directory / MANIFEST} names a file elsewhere: {file.name[:80]!r}.")
        yield ListedFile(directory / parts, export, file)


def _place(path: Path) -> tuple[int, Path]:
    last = len(_ORDER)
    return _ORDER.get(path.stem, _ORDER.get(path.parent.name, last)), path
