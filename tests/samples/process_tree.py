"""A process and its children, as Linux tells of them."""

import os
from pathlib import Path


def process_tree(pid: int) -> list[int]:
    """A process and all below it."""
    lists = [task / "children" for task in Path(f"/proc/{pid}/task").iterdir()]
    children = [int(child) for each in lists for child in each.read_text(encoding="ascii").split()]
    return [pid, *(below for child in children for below in process_tree(child))]


def cpu_s(pid: int) -> float:
    """CPU seconds of a process and all below it so far."""
    return sum(map(_own_cpu_s, process_tree(pid)))


def _own_cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
