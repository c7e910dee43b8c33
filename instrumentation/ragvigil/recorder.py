"""Everything that recording needs in one process: clock, ids, counters, queue, background thread."""

import os
import uuid
from collections.abc import Sequence
from typing import TYPE_CHECKING

from opentelemetry import trace
from opentelemetry.trace import TraceFlags

from ragvigil import attributes as names
from ragvigil.clock import Clock
from ragvigil.counts import Counters, Counts
from ragvigil.encoding.requests import RequestEncoder
from ragvigil.encoding.spans import SpanEncoder
from ragvigil.export.backoff import Backoff
from ragvigil.export.exporter import Exporter
from ragvigil.export.queue import TraceQueue
from ragvigil.export.sender import Sender
from ragvigil.export.worker import Worker
from ragvigil.guard import GUARD
from ragvigil.ids import IdGenerator
from ragvigil.settings import Settings
from ragvigil.version import __version__

if TYPE_CHECKING:
    from ragvigil.span import RecordedSpan


class Recorder:
    """What spans talk to while they are recorded. One process has one; a forked child gets its own."""

    def __init__(
        self, settings: Settings, clock: Clock, ids: IdGenerator, exporter: Exporter, backoff: Backoff
    ) -> None:
        self.wall_ns = clock.wall_ns
        self.monotonic_ns = clock.monotonic_ns
        self.trace_id = ids.generate_trace_id
        self.span_id = ids.generate_span_id
        self._counters = Counters()
        self.add_started = self._counters.add_started
        self._queue = TraceQueue(settings.max_queue_traces, settings.max_queue_bytes, self._counters)
        sender = Sender(
            self._queue,
            self._counters,
            SpanEncoder(settings.secret_key or os.urandom(32)),
            RequestEncoder({**_process_resource(), **settings.resource}),
            exporter,
        )
        self._worker = Worker(
            self._queue,
            sender,
            clock,
            backoff=backoff,
            export_interval_s=settings.export_interval_s,
            counts_interval_s=settings.counts_interval_s,
        )
        self._is_open = True

    def flags(self, trace_id: int, name: str) -> TraceFlags:
        """Trace flags of a new trace: what the application's own sampler says, else not sampled.

        Ragvigil records regardless; the flag only tells other services whether to.
        """
        with GUARD:
            sampler = getattr(trace.get_tracer_provider(), "sampler", None)
            if sampler is not None and sampler.should_sample(None, trace_id, name).decision.is_sampled():
                return TraceFlags(TraceFlags.SAMPLED)
        return TraceFlags(TraceFlags.DEFAULT)

    def hand_over(self, spans: "Sequence[RecordedSpan]") -> None:
        """Take finished spans for delivery; never waits."""
        if self._is_open:
            self._queue.put(spans)
            self._worker.ensure_running()
        else:
            self._counters.add_dropped(len(spans))

    def flush(self, timeout_s: float) -> bool:
        """Wait until all that was handed over before is delivered or dropped; False when the time is over first."""
        return self._worker.flush(timeout_s)

    def counts(self) -> Counts:
        """What became of the spans so far."""
        return self._counters.read()

    def shutdown(self, timeout_s: float) -> bool:
        """Flush, then stop; spans that end later are counted as dropped."""
        is_flushed = self.flush(timeout_s)
        self._is_open = False
        self._worker.stop()
        return is_flushed

    def abandon(self) -> None:
        """Forget everything, in a forked child: the parent delivers it, and our locks may be held by its threads."""
        self._is_open = False
        self._counters = Counters()


def _process_resource() -> dict[str, str | int]:
    return {
        names.TELEMETRY_SDK_NAME: "ragvigil",
        names.TELEMETRY_SDK_LANGUAGE: "python",
        names.TELEMETRY_SDK_VERSION: __version__,
        names.SCHEMA_VERSION: names.CURRENT_SCHEMA,
        names.SERVICE_INSTANCE_ID: str(uuid.uuid4()),
        names.PROCESS_PID: os.getpid(),
    }
