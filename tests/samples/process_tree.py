"""A process and its children, as Linux tells of them."""

import os
from pathlib import Path


def runs(pid: int) -> bool:
    """Whether there is such a process."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def children(pid: int) -> list[int]:
    """What a process began, from whatever thread."""
    lists = [task / "children" for task in Path(f"/proc/{pid}/task").iterdir()]
    return [int(child) for each in lists for child in each.read_text(encoding="ascii").split()]


def process_tree(pid: int) -> list[int]:
    """A process and all below it."""
    return [pid, *(below for child in children(pid) for below in process_tree(child))]


def peak_mb(pid: int) -> float:
    """Largest resident memory of a process so far."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def cpu_s(pid: int) -> float:
    """CPU seconds of a process and all below it so far."""
    return sum(map(_own_cpu_s, process_tree(pid)))


def _own_cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
