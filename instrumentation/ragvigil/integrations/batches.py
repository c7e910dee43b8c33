"""Calls that search for several queries at once: a stage each, all as long as the call."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from opentelemetry.context import get_current

from ragvigil import current
from ragvigil.guard import GUARD
from ragvigil.integrations.contribution import Contribution, search_stage
from ragvigil.integrations.requests import Request, record_request
from ragvigil.observation import Arguments, FollowUp, Keywords, Observation
from ragvigil.probes.prober import Prober
from ragvigil.results import Results
from ragvigil.stages import Stage
from ragvigil.wrapping import wrap


class Searches(Stage):
    """The stages of one call; itself it is none."""

    __slots__ = ("parts",)

    def __init__(self) -> None:
        super().__init__("searches")
        self.parts: list[Stage] = []

    def __enter__(self) -> Self:
        """Begin all of them, side by side; the current span stays what it is."""
        with GUARD:
            for part in self.parts:
                if not isinstance(part, Contribution):
                    part.start(get_current())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, failure: BaseException | None, trace: TracebackType | None
    ) -> None:
        for part in self.parts:
            part.__exit__(kind, failure, trace)


@dataclass(frozen=True, slots=True)
class Batch:
    """Reads what a call asks for, one request a query, and what it found, one result a query."""

    read: Callable[[Arguments, Keywords], Sequence[Request]]
    extract: Callable[[Any], Iterable[Any]]
    relevance: tuple[str, ...]

    def record(self, searches: Searches, arguments: Arguments, keywords: Keywords) -> None:
        """Record what one call asks for."""
        for request in self.read(arguments, keywords) if current.recorder is not None else ():
            part = search_stage()
            record_request(part, request, self.relevance)
            searches.parts.append(part)

    def record_result(self, searches: Searches, result: object) -> None:
        """Record what it found."""
        if searches.parts:
            for part, found in zip(searches.parts, self.extract(result), strict=False):
                Results().record(part, found)


def recording_batch(method: Callable[..., Any], batch: Batch, prober: Prober | None = None) -> Callable[..., Any]:
    """`method`, each call of it as many stages `retrieve` as it has queries; with one query it may be probed."""

    def follow_up(searches: Searches, arguments: Arguments, keywords: Keywords) -> FollowUp | None:
        if prober is None or len(searches.parts) != 1:
            return None
        return prober.consider(searches.parts[0], arguments, keywords)

    return wrap(method, Observation(Searches, batch.record, batch.record_result, follow_up))
