"""Everything that recording needs in one process: clock, ids, counters, queue, background thread."""

import os
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from opentelemetry import trace
from opentelemetry.trace import TraceFlags

from ragvigil import attributes as names
from ragvigil.clock import Clock
from ragvigil.counts import Counters, Counts, ProbeOutcome
from ragvigil.encoding.requests import RequestEncoder
from ragvigil.encoding.spans import SpanEncoder
from ragvigil.export.backoff import Backoff
from ragvigil.export.exporter import Exporter
from ragvigil.export.queue import TraceQueue
from ragvigil.export.sender import Sender
from ragvigil.export.worker import Worker
from ragvigil.feedback_event import AnswerReference, FeedbackEvent, NoSecretKeyError
from ragvigil.guard import GUARD
from ragvigil.ids import IdGenerator
from ragvigil.keys import ANSWER_TOKENS, FILTER_VALUES, PROBE_SAMPLE, derived_key
from ragvigil.probes.probe import Probe
from ragvigil.probes.runner import ProbeRunner
from ragvigil.probes.sample import ProbeSample
from ragvigil.rare import Value
from ragvigil.sampling import Sampler
from ragvigil.settings import Settings
from ragvigil.tokens import signed, verified
from ragvigil.version import __version__

if TYPE_CHECKING:
    from ragvigil.bridge.bridge import Bridge
    from ragvigil.export.spooling import SpoolingExporter
    from ragvigil.span import RecordedSpan


STOP_S: Final = 0.5
"""So much longer than it was given a shutdown may take, to bring to disk what is left."""


class RecorderState(NamedTuple):
    """How a recorder is doing: traces and feedback events that wait, whether the background thread runs."""

    waiting: int
    is_half_full: bool
    is_delivering: bool
    has_secret_key: bool


class Recorder:
    """What spans talk to while they are recorded. One process has one; a forked child gets its own."""

    def __init__(
        self, settings: Settings, clock: Clock, ids: IdGenerator, exporter: Exporter, backoff: Backoff
    ) -> None:
        from ragvigil.redaction.redactor import Redactor  # not needed until something is configured

        self.wall_ns = clock.wall_ns
        self.monotonic_ns = clock.monotonic_ns
        self.trace_id = ids.generate_trace_id
        self.span_id = ids.generate_span_id
        self._counters = Counters()
        self.add_started = self._counters.add_started
        secret = settings.secret_key or os.urandom(32)
        self._token_key = None if settings.secret_key is None else derived_key(secret, ANSWER_TOKENS)
        self._queue = TraceQueue(settings.max_queue_traces, settings.max_queue_bytes, self._counters)
        resource = {**_process_resource(), **settings.resource}
        encoder = SpanEncoder(derived_key(secret, FILTER_VALUES), document_texts=settings.document_texts)
        redactor = Redactor(settings.content, settings.redactors, secret, self._counters)
        self._spool = _spool(settings, resource, exporter, backoff, self._counters, self._queue.is_half_full)
        sender = Sender(
            self._queue, self._counters, encoder, RequestEncoder(resource), self._spool or exporter, redactor
        )
        self._bridge = _bridge(settings, secret, encoder, resource, self._counters)
        self._worker = Worker(
            self._queue,
            sender,
            clock,
            backoff=backoff,
            export_interval_s=settings.export_interval_s,
            counts_interval_s=settings.counts_interval_s,
            spool=self._spool,
        )
        self.probe_sample = ProbeSample(settings.probe_share, derived_key(secret, PROBE_SAMPLE))
        self._probes = ProbeRunner(self._counters, settings.max_waiting_probes, settings.probe_timeout_s)
        self.sampler = None if settings.sample == 1 else Sampler(settings.sample)
        self.add_left_out = self._counters.add_left_out
        self.document_texts = settings.document_texts
        self._is_open = True

    def flags(self, trace_id: int, name: str) -> TraceFlags:
        """Trace flags of a new trace: what the application's own sampler says, else not sampled.

        Ragvigil records regardless; the flag only tells other services whether to.
        """
        with GUARD:
            sampler = getattr(trace.get_tracer_provider(), "sampler", None)
            if sampler is not None and sampler.should_sample(None, trace_id, name).decision.is_sampled():
                return _SAMPLED
        return _NOT_SAMPLED

    def hand_over(self, spans: "Sequence[RecordedSpan]") -> None:
        """Take finished spans for delivery; never waits."""
        if self._is_open:
            if self._bridge is not None:
                with GUARD:
                    self._bridge.take(spans)
            self._queue.put(spans)
            self._worker.ensure_running()
        else:
            self._queue.drop(spans)

    def token_of(self, answer: AnswerReference) -> str | None:
        """The signed token of an answer; None without a secret key, which is counted and told once."""
        if self._token_key is None:
            self._counters.add_feedback("tokens_without_key")
            GUARD.report("no answer token is made, configure(secret_key=...) is missing")
            return None
        return signed(answer, self._token_key)

    def answer_of(self, token: object) -> AnswerReference:
        """The answer that a token names; raises FeedbackError for one that is not ours."""
        if self._token_key is None:
            raise NoSecretKeyError("token: no token can be checked, configure(secret_key=...) is missing")
        return verified(token, self._token_key)

    def take_feedback(self, event: FeedbackEvent) -> bool:
        """Take feedback for delivery; never waits. False after the end."""
        self._counters.add_feedback("given")
        if not self._is_open:
            self._counters.add_feedback("dropped")
            return False
        self._queue.put_feedback(event)
        self._worker.ensure_running()
        return True

    def refuse_feedback(self, why: str) -> None:
        """Count a call that is not valid, and tell it once."""
        self._counters.add_feedback("refused")
        GUARD.report(f"feedback is refused, {why}")

    def count_probe(self, outcome: ProbeOutcome) -> None:
        """So became of a search that is, or was to be, done again."""
        self._counters.add_probe(outcome)

    def submit_probe(self, probe: Probe) -> None:
        """Take a probe to be run in the background; never waits."""
        if self._is_open:
            self._probes.submit(probe)
        else:
            self._counters.add_probe("dropped")

    def flush(self, timeout_s: float) -> bool:
        """Wait until all that was handed over before is delivered, spooled or dropped; False when time is over first.

        Its probes are done before, in at most half of the time, so that one that hangs does not hold up the rest.
        """
        ends_at = time.monotonic() + timeout_s
        is_probed = self._probes.wait(timeout_s / 2)
        return self._deliver(ends_at) and is_probed

    def _deliver(self, ends_at: float) -> bool:
        is_delivered = self._worker.flush(ends_at - time.monotonic())
        is_given = self._bridge is None or self._bridge.wait(max(0.0, ends_at - time.monotonic()))
        return is_delivered and is_given

    def state(self) -> "RecorderState":
        """What waits, and whether somebody delivers it."""
        return RecorderState(
            waiting=self._queue.waiting(),
            is_half_full=self._queue.is_half_full(),
            is_delivering=self._worker.is_running(),
            has_secret_key=self._token_key is not None,
        )

    def counts(self) -> Counts:
        """What became of the spans so far."""
        return self._counters.read()

    def shutdown(self, timeout_s: float) -> bool:
        """Deliver what is there or spool it, then stop; waiting probes, and spans that end later, count as dropped.

        What is under way when the time is over gets STOP_S more to end.
        """
        ends_at = time.monotonic() + timeout_s
        self._probes.stop()
        is_flushed = self._deliver(ends_at)
        self._is_open = False
        ends_at = max(ends_at, time.monotonic() + STOP_S)
        self._worker.stop(ends_at - time.monotonic())
        if self._bridge is not None:
            self._bridge.stop(max(0.0, ends_at - time.monotonic()))
        return is_flushed

    def abandon(self) -> None:
        """Forget everything, in a forked child: the parent delivers it, and our locks may be held by its threads."""
        self._is_open = False
        if self._bridge is not None:
            self._bridge.abandon()
        self._counters = Counters()
        if self._spool is not None:
            self._spool.abandon()


def _bridge(
    settings: Settings, secret: bytes, encoder: SpanEncoder, resource: Mapping[str, Value], counters: Counters
) -> "Bridge | None":
    """The way to the application's own span processors, unless it is not wanted.

    It redacts for itself; what that changes is counted where the same spans are redacted for delivery.
    """
    if not settings.bridge:
        return None
    from ragvigil.bridge.bridge import Bridge  # not needed until something is configured
    from ragvigil.redaction.redactor import Redactor

    uncounted = Redactor(settings.content, settings.redactors, secret, Counters())
    bounds = (settings.max_queue_traces, settings.max_queue_bytes)
    return Bridge(uncounted.redact, encoder, resource, counters, *bounds)


def _spool(
    settings: Settings,
    resource: Mapping[str, Value],
    exporter: Exporter,
    backoff: Backoff,
    counters: Counters,
    is_pressed: Callable[[], bool],
) -> "SpoolingExporter | None":
    """The exporter with the spool directory behind it, if there is one."""
    if settings.spool_dir is None:
        return None
    from pathlib import Path  # nobody else pays for these

    from ragvigil.export.spooling import SpoolingExporter
    from ragvigil.spool.writer import SegmentWriter

    instance_id = str(resource[names.SERVICE_INSTANCE_ID])
    writer = SegmentWriter(Path(settings.spool_dir), instance_id, settings.max_spool_bytes, counters)
    return SpoolingExporter(exporter, writer, counters, replace(backoff), is_pressed)


def _process_resource() -> dict[str, str | int]:
    return {
        names.TELEMETRY_SDK_NAME: "ragvigil",
        names.TELEMETRY_SDK_LANGUAGE: "python",
        names.TELEMETRY_SDK_VERSION: __version__,
        names.SCHEMA_VERSION: names.CURRENT_SCHEMA,
        names.SERVICE_INSTANCE_ID: str(uuid.uuid4()),
        names.PROCESS_PID: os.getpid(),
    }


_SAMPLED = TraceFlags(TraceFlags.SAMPLED)
_NOT_SAMPLED = TraceFlags(TraceFlags.DEFAULT)
