"""Daemon threads of our own: a system that has none left, and an interpreter that is about to end, give none."""

import threading
from collections.abc import Callable

from ragvigil.guard import GUARD


def started(work: Callable[[], None], name: str) -> threading.Thread | None:
    """A daemon thread that does this work; None when none can be started, which is told once unless it is the end.

    From Python 3.12 on there is none for what runs at exit.
    """
    thread = threading.Thread(target=work, name=name, daemon=True)
    try:
        thread.start()
    except (RuntimeError, MemoryError) as failure:
        if threading.main_thread().is_alive():
            GUARD.report(f"no thread can be started ({failure})")
        return None
    return thread
