"""The lock of a segment, also where a child has a copy of its descriptor."""

import os
import signal
from pathlib import Path

from ragvigil.spool.claim import Claim, claim
from ragvigil.spool.frames import HEADER


def taken(path: Path) -> Claim:
    held = claim(path)
    assert held is not None
    return held


def is_free(path: Path) -> bool:
    held = claim(path)
    if held is not None:
        held.release()
    return held is not None


def forked() -> int:
    """A child that has copies of all descriptors and does nothing, until it is ended."""
    child = os.fork()
    if not child:
        os.kill(os.getpid(), signal.SIGSTOP)
        os._exit(0)
    os.waitpid(child, os.WUNTRACED)
    return child


def end(child: int) -> None:
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def test_what_is_released_is_free_although_a_child_has_a_copy(tmp_path: Path) -> None:
    file = tmp_path / "p-000001.spool"
    file.write_bytes(HEADER)
    held = taken(file)
    child = forked()
    assert not is_free(file)
    held.release()
    held.release()
    assert is_free(file)
    end(child)


def test_what_a_child_abandons_stays_with_its_parent(tmp_path: Path) -> None:
    file = tmp_path / "p-000001.spool"
    file.write_bytes(HEADER)
    held = taken(file)
    child = os.fork()
    if not child:
        held.abandon()
        os._exit(0)
    os.waitpid(child, 0)
    assert not is_free(file)
    held.release()
    assert is_free(file)
