"""A span that only records: two clock readings and copies of what could change; encoding happens elsewhere."""

from collections.abc import Callable, Mapping
from contextvars import Token
from types import TracebackType
from typing import TYPE_CHECKING, Self

from opentelemetry.context import Context
from opentelemetry.trace import INVALID_SPAN_CONTEXT, Span, SpanContext, Status, StatusCode, TraceFlags, TraceState
from opentelemetry.util import types

from ragvigil import context as contexts
from ragvigil import current
from ragvigil.guard import GUARD
from ragvigil.opentrace import OpenTrace
from ragvigil.rare import Event, Rare, described, exception_event, text_of

if TYPE_CHECKING:
    from ragvigil.answers import Answer
    from ragvigil.recorder import Recorder


class RecordedSpan(Span):
    """What answers and stages share. Not started, or without `configure`, it does nothing.

    `trace` is None until it starts, `answer` is the answer that it lies below, `fields` are the recorded facts by name.
    """

    __slots__ = (
        "_is_outermost",
        "_token",
        "answer",
        "end_ns",
        "fields",
        "name",
        "parent_id",
        "parent_is_remote",
        "rare",
        "span_id",
        "start_ns",
        "taken",
        "tell_rest",
        "trace",
        "trace_flags",
        "trace_number",
        "trace_state",
    )

    trace_number: int
    trace_flags: TraceFlags
    trace_state: TraceState
    parent_id: int
    parent_is_remote: bool
    span_id: int
    start_ns: int
    tell_rest: "Callable[[], None] | None"

    def __init__(self, name: str) -> None:
        self.name = name if type(name) is str else text_of(name)
        self.fields: dict[str, object] = {}
        self.trace: OpenTrace | None = None
        self.answer: Answer | None = None
        self.rare: Rare | None = None
        self.end_ns: int | None = None
        self.taken = False
        self._token: Token[Context] | None = None

    def start(self, context: Context) -> None:
        """Begin below what is current in `context`: ids, place in the trace, start time.

        What the sample leaves out ends before it begins, and so does all that begins below it.
        """
        recorder = current.recorder
        if recorder is None or self.trace is not None or self.end_ns is not None:
            return
        nearest, trace = contexts.nearest(context), None
        if nearest is not None:
            self.answer, trace = nearest.nearest_answer(), nearest.trace
        is_open = trace is not None and trace.is_open and trace.recorder is recorder
        if nearest is not None and is_open and nearest is context.get(contexts.CURRENT_SPAN):
            self._join_own(nearest)
            self.trace, self._is_outermost = trace, False
        elif not self._begin_elsewhere(recorder, context, nearest):
            return
        self.span_id = recorder.span_id()
        recorder.add_started()
        self.start_ns = recorder.monotonic_ns()

    def _begin_elsewhere(self, recorder: "Recorder", context: Context, nearest: "RecordedSpan | None") -> bool:
        """Begin anywhere but directly below a span of ours in an open trace; False for what is left out."""
        if nearest is not None and nearest.trace is None:
            self.leave_out()
            return False
        shared = None if nearest is None else nearest.trace
        probability = self._join(recorder, context.get(contexts.CURRENT_SPAN), shared)
        if not probability:
            recorder.add_left_out()
            self.leave_out()
            return False
        self._is_outermost = shared is None or not shared.is_open or shared.recorder is not recorder
        self.trace = OpenTrace(recorder, probability) if shared is None or self._is_outermost else shared
        return True

    def leave_out(self) -> None:
        """Take no facts and no start."""
        self.end_ns = 0

    @property
    def is_left_out(self) -> bool:
        """Whether the sample left it out."""
        return self.trace is None and self.end_ns is not None

    def end(self, end_time: int | None = None) -> None:
        """Finish; only the first call counts. `end_time` is in nanoseconds since the epoch, as for any span."""
        with GUARD:
            if self.trace is not None and self.end_ns is None:
                self._end(self.trace, self.trace.reading(end_time))

    def _end(self, trace: OpenTrace, end_ns: int) -> None:
        self.end_ns = end_ns if end_ns > self.start_ns else self.start_ns  # noqa: FURB136 - on every request
        # From here on these are for the background alone. Whoever took hold of the old ones before asking whether the
        # span has ended writes into those, and what redaction made of a span never gets a fact that it has not seen.
        self.fields = self.fields.copy()
        if self.rare is not None:
            self.rare = self.rare.ended()
        if self._is_outermost:
            trace.close(self)
        else:
            trace.collect(self)

    def nearest_answer(self) -> "Answer | None":
        """The answer that spans below this one belong to."""
        return self.answer

    def _join_own(self, parent: "RecordedSpan") -> None:
        """Take trace id, parent and flags from a span of ours."""
        self.trace_number, self.trace_flags = parent.trace_number, parent.trace_flags
        self.trace_state = parent.trace_state
        self.parent_id, self.parent_is_remote = parent.span_id, False

    def _join(self, recorder: "Recorder", parent: object, shared: OpenTrace | None) -> float:
        """Take them from any span, or begin a trace; returns the probability of its being recorded, 0 if it is not."""
        if isinstance(parent, RecordedSpan):
            self._join_own(parent)
            return 1.0 if shared is None else shared.probability
        outer = parent.get_span_context() if isinstance(parent, Span) else INVALID_SPAN_CONTEXT
        self.trace_number = outer.trace_id if outer.is_valid else recorder.trace_id()
        probability = self._probability(recorder) if shared is None else shared.probability
        if not probability:
            return 0.0
        self.trace_flags = outer.trace_flags if outer.is_valid else recorder.flags(self.trace_number, self.name)
        self.trace_state = outer.trace_state
        self.parent_id, self.parent_is_remote = outer.span_id, outer.is_remote
        return probability

    def _probability(self, recorder: "Recorder") -> float:
        return 1.0 if recorder.sampler is None else recorder.sampler.probability(self.trace_number, self.name)

    @property
    def trace_id(self) -> str:
        """The trace in 32 hex digits; '' when nothing is recorded."""
        return "" if self.trace is None else f"{self.trace_number:032x}"

    # --- context managers -----------------------------------------------------------------------------------

    def __enter__(self) -> Self:
        try:
            context = contexts.get_current()
            self.start(context)
            if self.trace is not None and self._token is None:
                self._token = contexts.attach(self, context)
            elif self.is_left_out and self.answer is None:
                self._token = contexts.attach_left_out(self, context)
        except Exception as own_failure:  # noqa: BLE001 - the guard, written out on the hottest path
            GUARD.caught(own_failure)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, failure: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            try:
                if self._token is not None:
                    token, self._token = self._token, None
                    contexts.detach(token)
                if failure is not None:
                    self.fail(failure)
            finally:
                if self.trace is not None and self.end_ns is None:
                    self._end(self.trace, self.trace.recorder.monotonic_ns())
        except Exception as own_failure:  # noqa: BLE001 - as above
            GUARD.caught(own_failure)

    async def __aenter__(self) -> Self:
        return self.__enter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, failure: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.__exit__(kind, failure, trace)

    def fail(self, failure: BaseException) -> None:
        """Record an exception that ends the span, once; a cancellation is an event, a closed generator is nothing."""
        rare = self._rarely() if self.is_recording() else None
        if rare is None or rare.failure is failure or isinstance(failure, GeneratorExit):
            return
        rare.failure = failure
        self.record_exception(failure)
        if isinstance(failure, Exception):
            self.set_status(StatusCode.ERROR, described(failure))

    def first_token(self) -> None:
        """Record that the first part of a streamed output is there; later calls do not count."""
        fields = self.fields
        with GUARD:
            if self.trace is not None and self.end_ns is None and "first_token_ns" not in fields:
                fields["first_token_ns"] = self.trace.recorder.monotonic_ns()

    # --- the rest of OpenTelemetry's Span ---------------------------------------------------------------------

    def get_span_context(self) -> SpanContext:
        """Identity of this span for propagation; invalid when nothing is recorded."""
        if self.trace is None:
            return INVALID_SPAN_CONTEXT
        return SpanContext(self.trace_number, self.span_id, False, self.trace_flags, self.trace_state)

    def is_recording(self) -> bool:
        """Whether the span has begun and not ended."""
        return self.trace is not None and self.end_ns is None

    def set_attribute(self, key: str, value: types.AnyValue) -> None:
        """Add an attribute of your own; the value is copied."""
        with GUARD:
            rare = self._rarely()
            if rare is not None:
                rare.set_attribute(key, value)

    def set_attributes(self, attributes: Mapping[str, types.AnyValue]) -> None:
        """Add several attributes of your own."""
        with GUARD:
            for key, value in attributes.items():
                self.set_attribute(key, value)

    def add_event(self, name: str, attributes: types.Attributes = None, timestamp: int | None = None) -> None:
        """Add an event; `timestamp` is in nanoseconds since the epoch."""
        with GUARD:
            rare = self._rarely()
            if self.trace is not None and rare is not None:
                rare.add_event(Event(name, self.trace.reading(timestamp), rare.copied(attributes)))

    def add_link(self, context: SpanContext, attributes: types.Attributes = None) -> None:
        """Link to another span."""
        with GUARD:
            rare = self._rarely() if getattr(context, "is_valid", True) else None
            if rare is not None:
                rare.add_link(context, rare.copied(attributes))

    def update_name(self, name: str) -> None:
        """Rename the span."""
        if not isinstance(name, str):
            GUARD.report(f"a span keeps its name: expected text, got {type(name).__name__}")
        elif self.end_ns is None:
            self.name = name

    def set_status(self, status: Status | StatusCode, description: str | None = None) -> None:
        """Set the status: OK is final."""
        with GUARD:
            code, text = (
                (status.status_code, status.description) if isinstance(status, Status) else (status, description)
            )
            rare = self._rarely()
            if rare is not None:
                rare.set_status(code, text)

    def record_exception(
        self,
        exception: BaseException,
        attributes: types.Attributes = None,
        timestamp: int | None = None,
        escaped: bool = False,  # noqa: ARG002 - deprecated in OpenTelemetry, still part of its signature
    ) -> None:
        """Record an exception as an event."""
        with GUARD:
            rare = self._rarely()
            if self.trace is not None and rare is not None:
                at_ns = self.trace.reading(timestamp)
                rare.add_event(exception_event(exception, at_ns, rare.copied(attributes)))

    def _takes_facts(self) -> bool:
        """Whether recording makes sense: something records, and the span has not ended."""
        return self.end_ns is None and current.recorder is not None

    def _rarely(self) -> Rare | None:
        """Where rare facts go; None for a span that takes none any more."""
        if self.end_ns is not None:
            return None
        rare = self.rare
        if rare is None:
            self.rare = rare = Rare()
        return rare if self._takes_facts() else None
