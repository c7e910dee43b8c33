"""The thread that brings spans to Phoenix: after the commit, behind a bounded queue, so that ingest never waits."""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from types import TracebackType
from typing import Final, Self

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from ragvigil.export.backoff import Backoff
from ragvigil.export.exporter import Delivery, Exporter, Outcome, Signal
from ragvigil.export.http import HttpExporter
from ragvigil_monitor.phoenix.picking import Picked, pick
from ragvigil_monitor.phoenix.waiting import ForwardCounts, Waiting
from ragvigil_monitor.service import Clock
from ragvigil_monitor.settings import Phoenix

MOST_STRIKES: Final = 5
"""A request that failed so often, each time when Phoenix had just taken another one, is dropped: it is to blame itself.
While Phoenix is down, nothing is struck and all waits."""
LAST_CHANCE_S: Final = 2.0
"""How long, when the service stops, what waits may still be sent."""
_ABOUT_THE_SPANS: Final = frozenset({400, 413, 422})
"""Answers that another attempt would only repeat. Any other is about Phoenix, its address or its key, not the spans."""
_RETRYABLE: Final = frozenset(range(300, 600)) - _ABOUT_THE_SPANS

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Trouble:
    """Phoenix does not take what it is sent: since when, and what it said last."""

    since: datetime
    reason: str


class Forwarder:
    """Sends the spans of a share of the traces to `{url}/v1/traces`.

    A context manager. `pick` before the commit, `forward` after it; neither waits. started_at: names this run.
    """

    def __init__(self, settings: Phoenix, url: str, *, clock: Clock, backoff: Backoff | None = None) -> None:
        self.started_at = clock()
        self._settings = settings
        self._clock = clock
        self._backoff = backoff or Backoff()
        self._exporter = _exporter(settings, url)
        self._waiting = Waiting(settings.max_waiting_requests, settings.max_waiting_bytes)
        self._trouble: Trouble | None = None
        self._deadline: float | None = None
        self._thread = threading.Thread(target=self._run, name="ragvigil-phoenix", daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def pick(self) -> Callable[[ExportTraceServiceRequest], Picked | None]:
        """What says which spans of a request go to Phoenix; it can be pickled."""
        return partial(pick, share=self._settings.share, project=self._settings.project)

    def forward(self, picked: Picked) -> None:
        """Send it soon."""
        self._waiting.put(picked)

    def counts(self) -> ForwardCounts:
        """What became of the spans that were forwarded since this run began."""
        return self._waiting.counts()

    def trouble(self) -> Trouble | None:
        """What is wrong with Phoenix now; None when it took what it was sent last, or nothing has been sent."""
        return self._trouble

    def close(self) -> None:
        """Try once more to send what waits, for a moment, then drop and count the rest; a second call does nothing."""
        self._deadline = time.monotonic() + LAST_CHANCE_S
        self._waiting.stop()
        self._thread.join(LAST_CHANCE_S)
        self._waiting.close()

    def _run(self) -> None:
        while not self._is_over() and (picked := self._waiting.take()) is not None:
            self._bring(picked)
        self._exporter.close()

    def _is_over(self) -> bool:
        return self._deadline is not None and time.monotonic() >= self._deadline

    def _bring(self, picked: Picked) -> None:
        """Try once; what Phoenix cannot take now waits again, behind all others."""
        was_well = self._trouble is None
        delivery = self._attempt(picked)
        self._note(delivery)
        if delivery.outcome is not Outcome.RETRY:
            self._settle(picked, delivery)
            return
        strikes = picked.strikes + was_well
        if strikes < MOST_STRIKES and self._waiting.pause(self._backoff.next_s(delivery.retry_after_s)):
            self._waiting.give_back(replace(picked, strikes=strikes))
        else:
            self._waiting.settle(dropped=picked.spans)

    def _settle(self, picked: Picked, delivery: Delivery) -> None:
        refused = picked.spans if delivery.outcome is Outcome.REFUSED else min(delivery.rejected, picked.spans)
        self._waiting.settle(forwarded=picked.spans - refused, refused=refused)

    def _attempt(self, picked: Picked) -> Delivery:
        try:
            return self._exporter.export(Signal.TRACES, picked.body)
        except Exception as failure:  # noqa: BLE001 - this thread must live on; whatever it is, it is shown
            return Delivery(Outcome.RETRY, reason=f"{type(failure).__name__}: {failure}")

    def _note(self, delivery: Delivery) -> None:
        if delivery.outcome is Outcome.ACCEPTED:
            self._backoff.reset()
            self._trouble = None
            return
        if self._trouble is None:
            logger.warning("Phoenix does not take what it is sent: %s", delivery.reason)
        since = self._clock() if self._trouble is None else self._trouble.since
        self._trouble = Trouble(since, delivery.told)


def _exporter(settings: Phoenix, url: str) -> Exporter:
    no_logs = ""  # Phoenix takes none
    headers = authorization(settings)
    return HttpExporter(f"{url}/v1/traces", no_logs, headers, settings.timeout_s, retryable=_RETRYABLE)


def authorization(settings: Phoenix) -> dict[str, str]:
    """The header that Phoenix asks for."""
    return {} if settings.api_key is None else {"Authorization": f"Bearer {settings.api_key.get_secret_value()}"}


def open_forwarder(settings: Phoenix, clock: Clock) -> Forwarder | None:
    """A running forwarder; None where no Phoenix is configured."""
    return None if settings.url is None else Forwarder(settings, settings.url, clock=clock)
