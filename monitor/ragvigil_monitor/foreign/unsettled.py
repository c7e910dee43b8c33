"""What is known of traces that wait, so that each is judged again only when it has changed; and what went wrong."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final

MOST_PROBLEMS: Final = 1000
"""Of more problems the oldest are forgotten; they stay counted."""
SHOWN_FOR: Final = timedelta(days=1)
Waiting = Mapping[str, Any]
"""A trace that waits: its id, `service`, how many `spans` and `bytes`, and between which times its spans began."""


class Reason(StrEnum):
    """Why a trace has no answers, as it is counted among what became of everything received."""

    FAILED = "flawed_trace_not_settled"
    TOO_LARGE = "flawed_trace_too_large"


@dataclass(frozen=True, slots=True)
class Problem:
    """A trace that cannot be judged. since: when that was found."""

    trace_id: bytes
    service: str
    reason: Reason
    detail: str
    since: datetime


@dataclass(slots=True)
class _Look:
    spans: int
    since: datetime
    is_final: bool = False


@dataclass(slots=True)
class Unsettled:
    """The traces that wait. One thread looks at them; `problems` may be asked from any."""

    _looks: dict[bytes, _Look] = field(default_factory=dict)
    _problems: dict[bytes, Problem] = field(default_factory=dict)

    def changed(self, waiting: Sequence[Waiting], now: datetime) -> list[Waiting]:
        """Those of all that wait that have to be looked at: more has arrived, or more is expected."""
        before = self._looks
        self._looks = {each["trace_id"]: _renewed(before.get(each["trace_id"]), each["spans"], now) for each in waiting}
        return [each for each in waiting if not self._looks[each["trace_id"]].is_final]

    def unchanged_since(self) -> dict[bytes, datetime]:
        """Since when each trace that waits has as many spans as it has."""
        return {trace_id: look.since for trace_id, look in self._looks.items()}

    def finish(self, trace_ids: Iterable[bytes]) -> None:
        """Nothing more can be said of these traces until more of them arrives."""
        for trace_id in trace_ids:
            if trace_id in self._looks:
                self._looks[trace_id].is_final = True

    def note(self, problem: Problem) -> None:
        """Show a trace that cannot be judged, and leave it until more of it arrives."""
        self.finish([problem.trace_id])
        self._problems.pop(problem.trace_id, None)
        self._problems[problem.trace_id] = problem
        while len(self._problems) > MOST_PROBLEMS:
            self._problems.pop(next(iter(self._problems)))

    def mended(self, trace_ids: Iterable[bytes]) -> None:
        """These could be judged after all."""
        for trace_id in trace_ids:
            self._problems.pop(trace_id, None)

    def problems(self, now: datetime) -> Iterator[tuple[Reason, list[Problem]]]:
        """What was found in the last day, by reason, the newest last."""
        recent = [each for each in list(self._problems.values()) if now - each.since < SHOWN_FOR]
        for reason in Reason:
            found = [each for each in recent if each.reason is reason]
            if found:
                yield reason, found


def _renewed(look: _Look | None, spans: int, now: datetime) -> _Look:
    return look if look is not None and look.spans == spans else _Look(spans, now)
