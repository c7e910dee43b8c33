"""One attempt at a time: redact, encode, deliver, count what became of it."""

from typing import TYPE_CHECKING, Final

from ragvigil.counts import Counters, Counts
from ragvigil.encoding.requests import RequestEncoder
from ragvigil.encoding.spans import SpanEncoder
from ragvigil.export.exporter import ACCEPTED, Delivery, Exporter, Outcome, Signal
from ragvigil.export.queue import TraceQueue, Waiting
from ragvigil.guard import GUARD

if TYPE_CHECKING:
    from ragvigil.feedback_event import FeedbackEvent
    from ragvigil.redaction.redactor import Redactor
    from ragvigil.span import RecordedSpan

BATCH_ITEMS: Final = 1000
BATCH_BYTES: Final = 4 << 20
_FAILED: Final = Delivery(Outcome.REFUSED, reason="what was to be sent could not be made")
_NO_SUCH_PLACE: Final = frozenset({404, 405, 501})
"""Answers of a receiver that takes traces only; any other refusal may be about the moment."""
_TOLD_AGAIN_NS: Final = 30 * 60 * 1_000_000_000
"""A process that idles tells so in every hour: after hours without a word nobody knows which of them lost something."""


class Sender:
    """Delivers the oldest traces and feedback of a queue, and the counters."""

    def __init__(
        self,
        queue: TraceQueue,
        counters: Counters,
        spans: SpanEncoder,
        requests: RequestEncoder,
        exporter: Exporter,
        redactor: "Redactor",
    ) -> None:
        self._queue = queue
        self._counters = counters
        self._spans = spans
        self._requests = requests
        self._exporter = exporter
        self._redactor = redactor
        self._counts_sent = Counts()
        self._counts_sent_at_ns: int | None = None
        self._takes_logs = True

    def send_oldest(self) -> Delivery:
        """Try to deliver the oldest traces, then the oldest feedback; on RETRY the rest waits in the queue again.

        What something of ours fails with is dropped, counted: it must not hold up what waits behind it.
        """
        taken = self._queue.take(BATCH_ITEMS, BATCH_BYTES)
        try:
            return self._send(taken)
        except BaseException as failure:  # noqa: BLE001 - a redactor may raise anything, also SystemExit
            self._queue.drop_taken()
            GUARD.caught(failure)
            return _FAILED

    def _send(self, taken: "list[Waiting]") -> Delivery:
        for waiting in taken:
            self._redactor.prepare(waiting)
        delivery = self._send_spans([span for waiting in taken for span in waiting.spans])
        if delivery.outcome is not Outcome.RETRY:
            self._queue.settle_spans()
            delivery = self._send_feedback([w.feedback for w in taken if w.feedback is not None])
        if delivery.outcome is Outcome.RETRY:
            self._queue.give_back()
        else:
            self._queue.settle()
        return delivery

    def _send_spans(self, spans: "list[RecordedSpan]") -> Delivery:
        payload, encoded = self._encoded(spans)
        delivery = self._attempt(Signal.TRACES, payload) if encoded else ACCEPTED
        if delivery.outcome is not Outcome.RETRY:
            accepted = _accepted(delivery, encoded)
            is_spooled = delivery.outcome is Outcome.SPOOLED
            (self._counters.add_spooled if is_spooled else self._counters.add_exported)(accepted)
            self._counters.add_dropped(len(spans) - accepted)
        return delivery

    def _send_feedback(self, events: "list[FeedbackEvent]") -> Delivery:
        if not events:
            return ACCEPTED
        delivery = self._attempt(Signal.LOGS, self._requests.feedback(events).SerializeToString())
        if delivery.outcome is not Outcome.RETRY:
            accepted = _accepted(delivery, len(events))
            self._counters.add_feedback("spooled" if delivery.outcome is Outcome.SPOOLED else "sent", accepted)
            self._counters.add_feedback("dropped", len(events) - accepted)
        return delivery

    def send_counts(self, now_ns: int) -> Delivery:
        """Try to deliver the counters, unless the same were delivered just now or the receiver has no place for logs.

        After any other refusal there is another attempt when they are due again. Nobody waits for counters that the
        receiver has already: that they cannot be delivered again is no failure.
        """
        counts = self._counters.read()
        if self._is_known(counts, now_ns) or not self._takes_logs:
            return ACCEPTED
        delivery = self._attempt(Signal.LOGS, self._requests.counts(counts, now_ns).SerializeToString())
        if delivery.outcome is Outcome.RETRY and counts == self._counts_sent:
            return ACCEPTED
        if delivery.outcome in {Outcome.ACCEPTED, Outcome.SPOOLED}:
            self._counts_sent, self._counts_sent_at_ns = counts, now_ns
        self._takes_logs = delivery.outcome is not Outcome.REFUSED or delivery.status not in _NO_SUCH_PLACE
        return delivery

    def _is_known(self, counts: Counts, now_ns: int) -> bool:
        """Whether the receiver has these counters, and not only from long ago; before the first there are none."""
        sent_at_ns = self._counts_sent_at_ns
        return counts == self._counts_sent and (sent_at_ns is None or abs(now_ns - sent_at_ns) < _TOLD_AGAIN_NS)

    def close(self) -> None:
        """Close the exporter."""
        with GUARD:
            self._exporter.close()

    def _encoded(self, spans: "list[RecordedSpan]") -> tuple[bytes, int]:
        """A request with the spans, and how many of them could be encoded."""
        encoded: list[bytes] = []
        for span in spans:
            with GUARD:
                encoded.append(self._spans.encode(span))
        return self._requests.traces(encoded), len(encoded)

    def _attempt(self, signal: Signal, payload: bytes) -> Delivery:
        try:
            delivery = self._exporter.export(signal, payload)
        except BaseException as failure:  # noqa: BLE001 - as above
            GUARD.caught(failure)
            delivery = Delivery(Outcome.RETRY, reason="the exporter failed")
        if delivery.outcome is Outcome.REFUSED:
            GUARD.report(f"{signal} are lost, the receiver refuses them: {delivery.reason}")
        elif delivery.rejected and delivery.outcome is Outcome.ACCEPTED:
            GUARD.report(f"some {signal} are lost, the receiver rejects them: {delivery.reason}")
        elif delivery.outcome is Outcome.RETRY:
            GUARD.report(f"{signal} wait, the receiver does not take them: {delivery.reason}")
        return delivery


def _accepted(delivery: Delivery, items: int) -> int:
    """How many of `items` the receiver, or a file, keeps."""
    return 0 if delivery.outcome is Outcome.REFUSED else items - delivery.rejected
