"""Gives finished spans to the application's span processors, from a thread of its own."""

import atexit
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING, Final, NamedTuple
from weakref import WeakSet

from opentelemetry.proto.trace.v1 import trace_pb2 as otlp
from opentelemetry.trace import TraceFlags

from ragvigil.background import started
from ragvigil.bridge.target import Target, Targets, sdk_provider
from ragvigil.counts import BridgeOutcome, Counters
from ragvigil.encoding.spans import SpanEncoder
from ragvigil.export.queue import estimated_bytes
from ragvigil.guard import GUARD
from ragvigil.rare import Rare, Value

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan

    from ragvigil.span import RecordedSpan

EXIT_TIMEOUT_S: Final = 5.0


class Facts(NamedTuple):
    """A finished span and what was recorded of it, whatever delivery puts in its place meanwhile."""

    span: "RecordedSpan"
    fields: dict[str, object]
    rare: Rare | None


class Bridge:
    """Takes finished spans that are sampled, as long as the global provider is one of the SDK.

    At most `max_traces` traces and `max_bytes` estimated bytes wait; the oldest are dropped and counted. A processor
    that is slow holds up this thread only: neither requests nor our own delivery, and a receiver of ours that is down
    does not hold up the processors.

    `redact` makes a span such that it may leave the process; one that must not leave is dropped and counted.
    """

    def __init__(
        self,
        redact: "Callable[[RecordedSpan], bool]",
        encoder: SpanEncoder,
        resource: Mapping[str, Value],
        counters: Counters,
        max_traces: int,
        max_bytes: int,
    ) -> None:
        self._redact = redact
        self._encoder = encoder
        self._targets = Targets(resource)
        self._counters = counters
        self._max_traces = max_traces
        self._max_bytes = max_bytes
        self._waiting: deque[tuple[list[Facts], int]] = deque()
        self._size = 0
        self._is_busy = False
        self._is_open = True
        self._thread: threading.Thread | None = None
        self._met: WeakSet[RecordedSpan] = WeakSet()
        # Reentrant: a finalizer may end a span while this very thread holds the lock.
        self._changed = threading.Condition(threading.RLock())

    def take(self, spans: "Sequence[RecordedSpan]") -> None:
        """Take a finished trace, or drop what does not fit; never waits for a processor."""
        if sdk_provider() is None:
            return
        sampled = [span for span in spans if span.trace_flags & TraceFlags.SAMPLED]
        if not sampled:
            return
        facts = [Facts(span, span.fields, span.rare) for span in sampled]
        with self._changed:
            if not self._is_open:
                self._count_dropped(facts)
                return
            self._append(facts, estimated_bytes(sampled))
            self._ensure_running()
            self._changed.notify_all()

    def wait(self, timeout_s: float) -> bool:
        """Wait until the processors have all that was taken before; False when the time is over first.

        Without a thread there is nothing to wait for.
        """
        with self._changed:
            if self._thread is None:
                return self._is_idle()
            return self._changed.wait_for(self._is_idle, timeout_s)

    def stop(self, timeout_s: float) -> None:
        """Take no more, and drop what waits, counted; waits `timeout_s` for a processor that is at work."""
        atexit.unregister(self._at_exit)
        with self._changed:
            self._is_open = False
            while self._waiting:
                self._drop_oldest()
            self._changed.notify_all()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout_s)

    def abandon(self) -> None:
        """Forget everything, in a forked child, without the lock, which a thread of the parent may hold."""
        atexit.unregister(self._at_exit)
        self._is_open = False

    def _append(self, spans: list[Facts], size: int) -> None:
        if size > self._max_bytes:
            self._count_dropped(spans)
            return
        self._waiting.append((spans, size))
        self._size += size
        while len(self._waiting) > self._max_traces or (self._size > self._max_bytes and self._waiting):
            self._drop_oldest()

    def _drop_oldest(self) -> None:
        spans, size = self._waiting.popleft()
        self._size -= size
        self._count_dropped(spans)

    def _count_dropped(self, spans: list[Facts]) -> None:
        self._counters.add_bridge("dropped", sum([self._is_first(facts.span) for facts in spans]))

    def _is_first(self, span: "RecordedSpan") -> bool:
        """Whether a span is met for the first time: one that ended late may come alone and with its trace."""
        with self._changed:
            is_first = span not in self._met
            self._met.add(span)
            return is_first

    def _ensure_running(self) -> None:
        if self._thread is None:
            _readable()  # here and not in the thread: a fork in the middle would leave the child half a module
            self._thread = started(self._run, "ragvigil-bridge")
            if self._thread is not None:
                # Now and not before: what is registered last runs first, and the provider, which is there by now,
                # shuts its processors down at exit.
                atexit.register(self._at_exit)

    def _at_exit(self) -> None:
        self.wait(EXIT_TIMEOUT_S)

    def _is_idle(self) -> bool:
        return not self._waiting and not self._is_busy

    def _run(self) -> None:
        while (spans := self._next()) is not None:
            with GUARD:
                self._give(spans)

    def _next(self) -> list[Facts] | None:
        with self._changed:
            self._is_busy = False
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._waiting or not self._is_open)
            if not self._waiting:
                return None
            self._is_busy = True
            spans, size = self._waiting.popleft()
            self._size -= size
            return spans

    def _give(self, spans: list[Facts]) -> None:
        provider = sdk_provider()
        target = None if provider is None else self._targets.of(provider)
        for facts in spans:
            if target is not None and self._is_first(facts.span):
                self._counters.add_bridge(self._outcome(facts, target), 1)

    def _outcome(self, facts: Facts, target: Target) -> BridgeOutcome:
        twin = copy(facts.span)
        twin.fields, twin.rare = facts.fields, facts.rare
        try:
            if not self._redact(twin):
                return "dropped"
            message = otlp.Span.FromString(self._encoder.encode(twin))
            target.processor.on_end(_readable()(message, target))
        except BaseException as failure:  # noqa: BLE001 - a processor of the application may raise anything, and it ends here
            GUARD.report(f"a span did not reach your span processors: {type(failure).__name__}")
            return "failed"
        return "given"


def _readable() -> "Callable[[otlp.Span, Target], ReadableSpan]":
    from ragvigil.bridge.readable import readable  # the SDK is loaded by now, and not by our import

    return readable
