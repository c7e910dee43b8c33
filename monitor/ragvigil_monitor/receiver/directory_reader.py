"""A thread that looks into a directory again and again, and lives on whatever it finds there."""

import logging
import threading
from abc import ABC, abstractmethod
from pathlib import Path
from types import TracebackType
from typing import Final, Self

_MOST_TROUBLES: Final = 1000


class Stopped(Exception):  # noqa: N818 - not an error
    """The service stops; the next one goes on where this one is."""


class DirectoryReader(ABC):
    """One thread that looks into `directory` every `poll_s` seconds; a context manager. thread: its name."""

    def __init__(self, directory: Path, poll_s: float, thread: str) -> None:
        self._directory = directory
        self._poll_s = poll_s
        self._troubles: set[str] = set()
        self._logger = logging.getLogger(type(self).__module__)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=thread, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()

    @abstractmethod
    def read_all(self) -> object:
        """Store what is there now. What cannot be read or stored is told and left."""

    def go_on(self) -> None:
        """Raise Stopped when the service stops."""
        if self._stop.is_set():
            raise Stopped

    def tell(self, trouble: str) -> None:
        """Log a trouble once, not at every look."""
        if trouble not in self._troubles and len(self._troubles) < _MOST_TROUBLES:
            self._troubles.add(trouble)
            self._logger.warning("%s", trouble)

    def _look(self) -> None:
        if self._directory.exists():
            self.read_all()
        else:
            self.tell(f"There is no directory {self._directory}; nothing is read until there is.")

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                self._look()
            except Stopped:
                return
            except Exception:  # this thread must live on; what it could not read stays where it is
                self._logger.exception("The files in %s could not be read.", self._directory)
            self._stop.wait(self._poll_s)
