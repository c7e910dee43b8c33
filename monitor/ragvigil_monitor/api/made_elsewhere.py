"""An iterator that other threads read, and that can be left while one of them does."""

import threading
from collections.abc import Generator
from typing import Self


class MadeElsewhere:
    """The items of a generator; `close` does not wait for the thread that makes one: it closes the generator then."""

    def __init__(self, made: Generator[bytes]) -> None:
        self._made = made
        self._making = threading.Lock()
        self._is_left = False

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> bytes:
        try:
            with self._making:
                return next(self._made)
        finally:
            if self._is_left:
                self.close()

    def close(self) -> None:
        """Let go of the generator, now or as soon as its thread comes back from it."""
        self._is_left = True
        if self._making.acquire(blocking=False):
            try:
                self._made.close()
            finally:
                self._making.release()
