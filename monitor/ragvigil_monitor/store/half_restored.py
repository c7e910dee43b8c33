"""A mark beside a database while a restore moves files there: nobody opens what is half of one and half of another."""

import os
from pathlib import Path
from typing import Final

from ragvigil_monitor.errors import StoreError

MARK_END: Final = ".restoring.json"


def mark_path(database: Path) -> Path:
    """Where the mark of a database lies: beside the file itself, also where it is reached by a link."""
    real = Path(os.path.realpath(database))
    return real.with_name(real.name + MARK_END)


def refuse_half_restored(database: Path) -> None:
    """Raise StoreError while a restore of this database is under way, or was interrupted while it moved files."""
    mark = mark_path(database)
    if os.path.lexists(mark):
        raise StoreError(
            f"{database} is being restored, or a restore of it was interrupted: {mark} is there. Nothing is lost. "
            f"Run `ragvigil restore BACKUP --db {database}` again: it puts what was there before back in its place, "
            "and begins anew."
        )
