"""The files below a directory that somebody else writes."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ragvigil_monitor.receiver.files.aside import SUFFIX

_MAX_DEPTH: Final = 8
_ROTATED: Final = re.compile(r"-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}(-[a-z]+)?(\.|$)")


@dataclass(frozen=True, slots=True)
class Listed:
    """A regular file and its facts at the time of the listing."""

    path: Path
    facts: os.stat_result

    @property
    def is_rotated(self) -> bool:
        """Whether its name bears the time at which a Collector put it aside, after which it is not written any more."""
        return _ROTATED.search(self.path.name) is not None


def listed(directory: Path) -> list[Listed]:
    """All files below, the one written longest ago first; raises OSError when the directory cannot be read.

    Links, hidden files and what was kept aside are left out.
    """
    found = list(_below(directory, _MAX_DEPTH)) if directory.exists() else []
    return sorted(found, key=lambda file: (file.facts.st_mtime_ns, file.path))


def _below(directory: Path, depth: int) -> Iterator[Listed]:
    with os.scandir(directory) as entries:
        for entry in entries:
            if entry.name.startswith(".") or entry.name.endswith(SUFFIX):
                continue
            if entry.is_dir(follow_symlinks=False) and depth:
                yield from _below(Path(entry.path), depth - 1)
            elif entry.is_file(follow_symlinks=False):
                yield from _with_facts(Path(entry.path))


def _with_facts(path: Path) -> Iterator[Listed]:
    try:
        yield Listed(path, path.lstat())
    except FileNotFoundError:
        return  # renamed or removed meanwhile
