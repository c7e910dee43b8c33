"""A file system of a few megabytes, and ballast that fills it."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest


@dataclass(frozen=True, slots=True)
class SmallDisk:
    """A folder with a file system of its own."""

    folder: Path

    @property
    def free_bytes(self) -> int:
        return shutil.disk_usage(self.folder).free

    def leave_free(self, free_bytes: int) -> None:
        """Write ballast until so little is free."""
        with (self.folder / "ballast").open("ab") as file:
            while (surplus := self.free_bytes - free_bytes) > 0:
                file.write(bytes(min(surplus, 2**20)))
                file.flush()

    def empty(self) -> None:
        """Throw the ballast away."""
        (self.folder / "ballast").unlink()


@contextmanager
def small_disk(folder: Path, size_bytes: int) -> Iterator[SmallDisk]:
    """A tmpfs of that size; skips the test, saying why, where this user may not mount one."""
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size_bytes}", "tmpfs", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip(f"a small file system cannot be mounted here: {mounted.stderr.strip()}")
    try:
        yield SmallDisk(folder)
    finally:
        subprocess.run(["umount", str(folder)], check=True)
