"""Keeps Ragvigil's own failures out of the application that it watches."""

import logging
import traceback
from types import TracebackType
from typing import Final

_log = logging.getLogger("ragvigil")


class Guard:
    """Use as `with GUARD:` around our own work, never around the user's.

    An exception inside is logged once per kind and swallowed; while `strict` (our tests) it passes through.
    Holds no state between enter and exit, so one object serves all threads.
    """

    __slots__ = ("_seen", "strict")

    def __init__(self) -> None:
        self.strict = False
        self._seen: set[object] = set()

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, failure: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if failure is None or kind is None or not issubclass(kind, Exception) or self.strict:
            return False
        self._log_once((kind, _origin(trace)), failure)
        return True

    def caught(self, failure: BaseException) -> None:
        """Do the same for an exception that was caught otherwise, where `with` costs too much."""
        if self.strict:
            raise failure
        self._log_once((type(failure), _origin(failure.__traceback__)), failure)

    def report(self, problem: str) -> None:
        """Say once that something could not be recorded; `problem` identifies the kind."""
        if self._is_new(problem):
            _log.warning("ragvigil: %s. Your code still runs, with less telemetry.", problem)

    def problems(self) -> list[str]:
        """What was caught and reported so far, once each."""
        return sorted([kind if isinstance(kind, str) else _named(kind) for kind in tuple(self._seen)])

    def forget(self) -> None:
        """Log every kind again, as after a start."""
        self._seen.clear()

    def _log_once(self, kind: object, failure: BaseException) -> None:
        if self._is_new(kind):
            _log.warning("ragvigil failed; your code still runs, with less telemetry.\n%s", _described(failure))

    def _is_new(self, kind: object) -> bool:
        if kind in self._seen or len(self._seen) >= _MAX_KINDS:
            return False
        self._seen.add(kind)
        return True


def _named(kind: object) -> str:
    """A kind of failure as text: its class, and where it was raised."""
    match kind:
        case (type() as failure, (str() as file, line)):
            return f"{failure.__name__} at {file}:{line}"
        case _:
            return str(kind)


def _described(failure: BaseException) -> str:
    """Where and with what type it failed; its text may hold what the application recorded, so it is not told."""
    return f"{''.join(traceback.format_tb(failure.__traceback__))}{type(failure).__qualname__}"


def _origin(trace: TracebackType | None) -> tuple[str, int] | None:
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return None if trace is None else (trace.tb_frame.f_code.co_filename, trace.tb_lineno)


_MAX_KINDS: Final = 1000
GUARD: Final = Guard()
