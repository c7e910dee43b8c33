"""How the calls of a decorated function become spans."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from ragvigil import current
from ragvigil.context import get_current, is_left_out
from ragvigil.guard import GUARD
from ragvigil.span import RecordedSpan

Arguments: TypeAlias = tuple[Any, ...]
Keywords: TypeAlias = Mapping[str, Any]
FollowUp: TypeAlias = Callable[[], None]


def _nothing(*_: object) -> None:
    """Record nothing."""


@dataclass(frozen=True, slots=True)
class Observation:
    """Makes the span of a call, and records its arguments and its result; neither can hurt the call.

    The result of a generator is the text that it yielded. `follow_up` sees the arguments of other functions before they
    are called, and returns what is to be done once they have returned.
    """

    make: Callable[[], RecordedSpan]
    record_arguments: Callable[[Any, Arguments, Keywords], None] = _nothing
    record_result: Callable[[Any, object], None] = _nothing
    follow_up: Callable[[Any, Arguments, Keywords], FollowUp | None] | None = None

    def begin(self, arguments: Arguments, keywords: Keywords) -> RecordedSpan:
        """The span of one call, ready to be entered."""
        span = self.make()
        with GUARD:
            recorder = current.recorder
            if recorder is not None and recorder.sampler is not None and is_left_out(get_current()):
                span.leave_out()
            else:
                self.record_arguments(span, arguments, keywords)
        return span

    def finish(self, span: RecordedSpan, result: object) -> None:
        """Record what a call returned."""
        with GUARD:
            self.record_result(span, result)

    def prepare(self, span: RecordedSpan, arguments: Arguments, keywords: Keywords) -> FollowUp | None:
        """Before a call, in its span that has begun: what follows it up."""
        if self.follow_up is not None:
            with GUARD:
                return self.follow_up(span, arguments, keywords)
        return None

    def finish_call(self, span: RecordedSpan, result: object, follow_up: FollowUp | None) -> None:
        """Record what a call returned, and follow it up."""
        self.finish(span, result)
        if follow_up is not None:
            with GUARD:
                follow_up()
