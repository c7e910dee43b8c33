"""The files of a spool directory: their names, their order, what is kept aside."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

SEGMENT_SUFFIX: Final = ".spool"
ASIDE_SUFFIX: Final = ".corrupt"
MAX_ASIDE: Final = 4
"""So many damaged segments are kept for people to look at; the oldest beyond it are deleted."""

_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]")
_MAX_STEM: Final = 100


@dataclass(frozen=True, slots=True)
class SpoolFile:
    """A file of the directory, its size in bytes and when it was written last."""

    path: Path
    size: int
    written_ns: int


def segment_name(instance_id: str, number: int) -> str:
    """`<service.instance.id>-<seq>.spool`; characters of an id that are unsafe in file names are replaced."""
    stem = _UNSAFE.sub("_", instance_id).lstrip(".")[:_MAX_STEM] or "_"
    return f"{stem}-{number:06d}{SEGMENT_SUFFIX}"


def segments(directory: Path) -> list[SpoolFile]:
    """All segments, the one written longest ago first; raises OSError when the directory cannot be read."""
    return _files(directory, SEGMENT_SUFFIX)


def files_aside(directory: Path) -> list[SpoolFile]:
    """Damaged segments that are kept, oldest first; raises OSError when the directory cannot be read."""
    return _files(directory, ASIDE_SUFFIX)


def set_aside(path: Path) -> None:
    """Keep a damaged segment under another name; raises OSError when that is not possible."""
    path.rename(path.with_name(path.name + ASIDE_SUFFIX))
    for file in files_aside(path.parent)[:-MAX_ASIDE]:
        file.path.unlink(missing_ok=True)


def _files(directory: Path, suffix: str) -> list[SpoolFile]:
    try:
        with os.scandir(directory) as entries:
            found = list(_described(entries, suffix))
    except FileNotFoundError:
        return []
    return sorted(found, key=lambda file: (file.written_ns, file.path.name))


def _described(entries: "Iterator[os.DirEntry[str]]", suffix: str) -> Iterator[SpoolFile]:
    for entry in entries:
        if entry.name.endswith(suffix) and entry.is_file(follow_symlinks=False):
            try:
                facts = entry.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue  # delivered and deleted meanwhile
            yield SpoolFile(Path(entry.path), facts.st_size, facts.st_mtime_ns)
