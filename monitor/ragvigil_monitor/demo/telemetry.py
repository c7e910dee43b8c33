"""The app's instrumentation during a simulation: releases, back pressure, and the count of spans begun."""

import time
from datetime import datetime
from types import TracebackType
from typing import Self

import ragvigil
from ragvigil import FeedbackKind, FeedbackReason, ProbeCounts
from ragvigil.clock import Clock
from ragvigil.ids import IdGenerator
from ragvigil_monitor.demo.app import SERVICE, Answered
from ragvigil_monitor.demo.dice import dice
from ragvigil_monitor.demo.following import Rating
from ragvigil_monitor.errors import MonitorError

MOST_WAITING_SPANS = 8000
QUEUE_TRACES = 2 * MOST_WAITING_SPANS
"""Twice as many traces as there are ever spans waiting: nothing can be dropped."""
EXPORT_INTERVAL_S = 0.2
PROBE_SHARE = 0.1
PROBE_POLL_S = 0.0002
REQUEST_TIMEOUT_S = 60.0
"""Weeks in minutes keep a service busy: it may answer late."""


class SpansLost(MonitorError):  # noqa: N818 - what happened
    """The instrumentation could not hand over its spans."""


class Telemetry:
    """Configures `ragvigil` for one version of the app after another; to the monitor each is a process of its own.

    A context manager: at its end everything is handed over, or, after an error, given up.
    """

    def __init__(
        self,
        endpoint: str,
        seed: int,
        clock: Clock | None = None,
        ids: IdGenerator | None = None,
        *,
        flush_timeout_s: float = 120.0,
        probe_share: float = PROBE_SHARE,
    ) -> None:
        self._endpoint = endpoint
        self._secret_key = dice(seed, "secret").randbytes(32)
        self._clock = clock
        self._ids = ids
        self._flush_timeout_s = flush_timeout_s
        self._probe_share = probe_share
        self._started_before = 0
        self._running = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.stop()
        else:
            ragvigil.shutdown(timeout_s=0)

    def release(self, version: str) -> None:
        """Put a version into service; the one before hands over everything first."""
        self.stop()
        ragvigil.configure(
            service_name=SERVICE,
            service_version=version,
            environment="demo",
            endpoint=self._endpoint,
            secret_key=self._secret_key,
            max_queue_traces=QUEUE_TRACES,
            export_interval_s=EXPORT_INTERVAL_S,
            timeout_s=REQUEST_TIMEOUT_S,
            document_texts=True,
            probe_share=self._probe_share,
            clock=self._clock,
            ids=self._ids,
        )
        self._running = True

    def spans_started(self) -> int:
        """Spans that the app began, all versions together."""
        return self._started_before + (ragvigil.counts().started if self._running else 0)

    def give(self, rating: Rating) -> None:
        """Hand over what a user thinks; SpansLost when the instrumentation refuses it."""
        self._feedback(rating.kind, rating.answered, rating.feedback_id, rating.reason, rating.given_at)

    def regenerated(self, answered: Answered, feedback_id: str) -> None:
        """Hand over that the button of an answer was pressed."""
        self._feedback("regenerate", answered, feedback_id)

    def await_probes(self) -> None:
        """Wait until no probe is left to run: they share the simulated clock, which nobody else may move meanwhile."""
        deadline = time.monotonic() + self._flush_timeout_s
        while _probes_left(ragvigil.counts().probes):
            if time.monotonic() > deadline:
                raise SpansLost(f"A probe was not done within {self._flush_timeout_s:g} s.")
            time.sleep(PROBE_POLL_S)

    def _feedback(
        self,
        kind: FeedbackKind,
        answered: Answered,
        feedback_id: str,
        reason: FeedbackReason | None = None,
        at: datetime | None = None,
    ) -> None:
        if not ragvigil.feedback(kind, token=answered.token, feedback_id=feedback_id, reason=reason, at=at):
            raise SpansLost(f"The instrumentation refused {kind} for the answer {answered.answer_id}.")

    def relieve(self) -> None:
        """Wait for the receiver when much is waiting, so that a fast simulation loses nothing."""
        counts = ragvigil.counts()
        waiting = counts.started - counts.exported - counts.spooled - counts.dropped
        if waiting > MOST_WAITING_SPANS:
            self.flush()

    def flush(self) -> None:
        """Hand over everything; SpansLost when the receiver does not take it in time."""
        if not ragvigil.flush(self._flush_timeout_s):
            raise SpansLost(f"{self._endpoint} did not take the spans within {self._flush_timeout_s:g} s.")

    def stop(self) -> None:
        """Take the version that serves out of service."""
        if self._running:
            self.flush()
            self._started_before += ragvigil.counts().started
            self._running = False
            ragvigil.shutdown()


def _probes_left(probes: ProbeCounts) -> int:
    return probes.sampled - probes.run - probes.failed - probes.timed_out - probes.dropped - probes.unsupported
