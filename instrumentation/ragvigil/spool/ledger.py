"""What this process has written to disk and what became of it there, so that a loss is counted as one."""

from collections.abc import Iterable

from ragvigil.counts import Counters
from ragvigil.spool.framing import Contents


class Ledger:
    """The contents of this process's own segments, by name of the file; of other processes' there is nothing here."""

    def __init__(self, counters: Counters) -> None:
        self._counters = counters
        self._segments: dict[str, Contents] = {}

    def add(self, segment: str, contents: Contents) -> None:
        """Note what was written."""
        self._segments[segment] = self._segments.get(segment, Contents()) + contents

    def forget(self, segment: str, contents: Contents) -> None:
        """Take back what was noted: it did not become part of the segment, or is delivered in another way too."""
        held = self._segments.get(segment, Contents())
        self._segments[segment] = Contents(
            max(0, held.spans - contents.spans), max(0, held.feedback - contents.feedback)
        )

    def lose(self, segment: str, contents: Contents | None = None) -> None:
        """Count as dropped what was in a segment, all of it or a part; nothing for one of another process."""
        held = self._segments.get(segment, Contents())
        lost = held if contents is None else contents
        spans, feedback = min(lost.spans, held.spans), min(lost.feedback, held.feedback)
        self._segments[segment] = Contents(held.spans - spans, held.feedback - feedback)
        self._counters.lose_spooled(spans, feedback)

    def keep_only(self, segments: Iterable[str]) -> None:
        """Forget segments that are gone, delivered by somebody."""
        kept = set(segments)
        self._segments = {name: held for name, held in self._segments.items() if name in kept}
