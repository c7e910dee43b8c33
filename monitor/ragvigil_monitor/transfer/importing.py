"""Requests and rows from files into a store, beside what it receives."""

import logging
from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from ragvigil_monitor.errors import BadTelemetry, WriteRefused
from ragvigil_monitor.receiver.batch import Batch
from ragvigil_monitor.receiver.decoding import decode_logs, decode_traces
from ragvigil_monitor.receiver.files.found import Found, Signal
from ragvigil_monitor.receiver.late import LateSpans
from ragvigil_monitor.receiver.resources import UNKNOWN_SERVICE
from ragvigil_monitor.receiver.times import microseconds
from ragvigil_monitor.receiver.writing import write
from ragvigil_monitor.store import Store

Outcomes = Counter[str]
"""How many spans and log records became what: `spans_committed`, `spans_duplicate`, `rejected_<reason>` …"""
METRICS_IGNORED = "ignored_metrics"

logger = logging.getLogger(__name__)


def import_requests(store: Store, requests: Sequence[Found], now: datetime) -> Outcomes:
    """Store what requests hold, each span and record once, and link late stages to their answers.

    Raises StoreUnavailable when the disk does not take them. A request that cannot be read or stored is counted.
    """
    batches = [_decoded(request, now) for request in requests]
    outcomes = _stored(store, batches, now)
    late = LateSpans()
    for batch in batches:
        late.note(batch, now)
    late.link(store)
    return outcomes


def _decoded(request: Found, now: datetime) -> Batch:
    batch = Batch()
    received_us = microseconds(now)
    try:
        if request.signal is Signal.TRACES:
            return decode_traces(request.body, received_us, content_type=request.content_type)
        if request.signal is Signal.LOGS:
            return decode_logs(request.body, received_us, content_type=request.content_type)
        batch.count(UNKNOWN_SERVICE, METRICS_IGNORED)
    except BadTelemetry as bad:
        batch.count(UNKNOWN_SERVICE, f"rejected_request_{bad.status}")
    except Exception:  # a defect of ours must not hold up what lies behind this request
        logger.exception("A request could not be decoded.")
        batch.count(UNKNOWN_SERVICE, "rejected_request_500")
    return batch


def _stored(store: Store, batches: Sequence[Batch], now: datetime) -> Outcomes:
    together = Batch()
    for batch in batches:
        together.add(batch)
    try:
        with store.transaction() as writer:
            return _by_outcome(write(writer, together, now))
    except WriteRefused:
        if len(batches) == 1:
            return Counter({"rejected_not_storable": sum(batches[0].items_by_service().values())})
        return sum((_stored(store, [batch], now) for batch in batches), Counter())


def _by_outcome(counted: Counter[tuple[str, str]]) -> Outcomes:
    outcomes: Outcomes = Counter()
    for (_, outcome), items in counted.items():
        outcomes[outcome] += items
    return outcomes
