"""Stored checks of drift evidence, and programs in place of the environment that makes them."""

import stat
from datetime import datetime
from pathlib import Path
from typing import Any

from ragvigil_monitor.store import Store


def cross_check(window_end: datetime, **values: Any) -> dict[str, Any]:
    """A check that agrees, three minutes after the end of its window."""
    return {
        "window_end": window_end,
        "window_s": 86400,
        "model": "encoder-1",
        "dimension": 12,
        "backend": "alibi-detect",
        "version": "0.11.4",
        "mmd2": 0.00274,
        "p": 1 / 1001,
        "permutations": 1000,
        "difference": -3e-17,
        "checked_at": window_end.replace(minute=3),
        **values,
    }


def add_cross_check(store: Store, window_end: datetime, **values: Any) -> None:
    """Store such a check."""
    with store.transaction() as writer:
        writer.execute("add_drift_cross_check", **cross_check(window_end, **values))


def program(path: Path, test: str, *, version: str = '{"version": "0.11.4"}') -> Path:
    """A shell script that answers `version` at once, and does what `test` says when it is to test."""
    path.write_text(f"#!/bin/sh\nif [ \"$3\" = version ]; then echo '{version}'; exit 0; fi\n{test}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def answering(mmd2: float, p: float = 0.25) -> str:
    """The commands of a program that answers every test in the same way."""
    return f'cat >/dev/null; echo \'{{"version": "0.11.4", "mmd2": {mmd2!r}, "p": {p!r}}}\''
