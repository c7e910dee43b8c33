"""How the calls of a decorated function become spans."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from ragvigil.guard import GUARD
from ragvigil.span import RecordedSpan

Arguments: TypeAlias = tuple[Any, ...]
Keywords: TypeAlias = Mapping[str, Any]


def _nothing(*_: object) -> None:
    """Record nothing."""


@dataclass(frozen=True, slots=True)
class Observation:
    """Makes the span of a call, and records its arguments and its result; neither can hurt the call.

    The result of a generator is the text that it yielded.
    """

    make: Callable[[], RecordedSpan]
    record_arguments: Callable[[Any, Arguments, Keywords], None] = _nothing
    record_result: Callable[[Any, object], None] = _nothing

    def begin(self, arguments: Arguments, keywords: Keywords) -> RecordedSpan:
        """The span of one call, ready to be entered."""
        span = self.make()
        with GUARD:
            self.record_arguments(span, arguments, keywords)
        return span

    def finish(self, span: RecordedSpan, result: object) -> None:
        """Record what a call returned."""
        with GUARD:
            self.record_result(span, result)
