"""One text through all redactors, in order; where one of them fails, nothing of the text leaves."""

import re
import time
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final, TypeAlias

from ragvigil.counts import Counters
from ragvigil.guard import GUARD

Redact: TypeAlias = Callable[[str], str]
"""A redactor: takes a text and returns it without what must not leave."""

MAX_TEXT: Final = 100_000
"""Characters of a text that redactors are given; what lies beyond is cut off."""
MARGIN: Final = 100
"""Characters that a text loses where it was cut: half of an address is not recognised as one."""
LONGEST_WORD: Final = 8_000
"""Characters that it loses at most beyond these, to the next space: half of a token is not recognised either."""
_WORD: Final = re.compile(rf"[!-~]{{0,{LONGEST_WORD}}}+")
"""ASCII alone: tokens are, and some scripts have no spaces."""
_SLOW_S: Final = 1.0
_MOST_REMEMBERED: Final = 64
_LONGEST_REMEMBERED: Final = 10_000


def checked_redactors(redactors: object) -> tuple[Redact, ...]:
    """The redactors; raises ValueError for anything that cannot be called."""
    listed = tuple(redactors) if isinstance(redactors, Sequence) and not isinstance(redactors, str | bytes) else None
    if listed is None or not all(map(callable, listed)):
        raise ValueError("redactors: expected a list of functions from text to text")
    return listed


class Texts:
    """Applies redactors and counts what they did. Without redactors every text passes as it is.

    They are not asked again for one of the last texts; a failure is remembered too.
    `monotonic_s` tells how long a redactor takes.
    """

    def __init__(
        self, redactors: Sequence[Redact], counters: Counters, monotonic_s: Callable[[], float] = time.monotonic
    ) -> None:
        self._monotonic_s = monotonic_s
        self._redactors = redactors
        self.count = counters.add_redaction
        self.pass_as_they_are = not redactors
        # One question is recorded by several stages of a trace.
        self._remembered = lru_cache(maxsize=_MOST_REMEMBERED)(self._through_all)

    def redacted(self, text: str, *, begins_cut: bool = False, ends_cut: bool = False) -> str | None:
        """The text as it may leave, None where none of it may.

        `begins_cut` and `ends_cut`: it is a part of a longer one.
        """
        if self.pass_as_they_are:
            return text
        given = text[:MAX_TEXT]
        result = (self._remembered if len(given) <= _LONGEST_REMEMBERED else self._through_all)(given)
        if result is None:
            self.count("withheld")
            return None
        is_cut = len(text) > MAX_TEXT or len(result) > MAX_TEXT
        if is_cut:
            self.count("cut")
        if result != given:
            self.count("changed")
        whole = result[:MAX_TEXT]
        begin = _uncut_from(whole) if begins_cut else 0
        return whole[begin : max(0, len(whole) - _uncut_from(whole[::-1])) if is_cut or ends_cut else None]

    def _through_all(self, text: str) -> str | None:
        for redact in self._redactors:
            result = self._through(redact, text)
            if result is None:
                return None
            text = result
        return text

    def _through(self, redact: Redact, text: str) -> str | None:
        began_s = self._monotonic_s()
        try:
            result: object = redact(text)
        except BaseException as failure:  # noqa: BLE001 - of the application, may be anything, and must not end our thread
            GUARD.report(f"texts are withheld, the redactor {_name(redact)} raised {type(failure).__name__}")
            return None
        if self._monotonic_s() - began_s > _SLOW_S:
            GUARD.report(f"the redactor {_name(redact)} took longer than {_SLOW_S:g} s for one text")
        if isinstance(result, str):
            return result
        GUARD.report(f"texts are withheld, the redactor {_name(redact)} returned {type(result).__name__}, not a text")
        return None


def _uncut_from(text: str) -> int:
    """Where the first word begins that is surely whole, in a text whose beginning was cut off."""
    rest = _WORD.match(text, MARGIN - 1)
    return MARGIN if rest is None else max(MARGIN, rest.end())


def _name(redact: Redact) -> str:
    return getattr(redact, "__qualname__", type(redact).__qualname__)
