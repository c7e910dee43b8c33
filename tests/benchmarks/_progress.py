"""How far a long preparation is, on stderr."""

import sys
import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")
_EVERY_S = 15.0


class Progress:
    """what: that which is made, named in each line."""

    def __init__(self, what: str) -> None:
        self._what = what

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Say how long the block took, and how much of the processor it used."""
        began_s, began_cpu_s = time.perf_counter(), time.process_time()
        yield
        self._say(f"{name}: {time.perf_counter() - began_s:.0f} s, {time.process_time() - began_cpu_s:.0f} CPU s")

    def each(self, name: str, items: Iterable[T], *, of: int | None = None) -> Iterator[T]:
        """Pass the items on; say now and then how many are done, and at the end how long all took."""
        total = of if of is not None else len(items) if isinstance(items, Collection) else None
        with self.phase(name):
            said_at = time.perf_counter()
            for number, item in enumerate(items):
                if time.perf_counter() - said_at > _EVERY_S:
                    self._say(f"{name}: {number} of {total}")
                    said_at = time.perf_counter()
                yield item

    def _say(self, text: str) -> None:
        print(f"{self._what}: {text}", file=sys.stderr, flush=True)
