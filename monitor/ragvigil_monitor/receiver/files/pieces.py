"""What the pieces of a file are to the store: rows, or the count of a refusal."""

import logging

from ragvigil_monitor.errors import BadTelemetry
from ragvigil_monitor.receiver.batch import Batch
from ragvigil_monitor.receiver.bodies import JSON
from ragvigil_monitor.receiver.decoding import decode_logs, decode_traces
from ragvigil_monitor.receiver.files.found import KEPT_BYTES, Found, Refused, Signal
from ragvigil_monitor.receiver.files.signals import behind_tear, signal_of_json
from ragvigil_monitor.receiver.times import microseconds
from ragvigil_monitor.receiver.unreadable import IGNORED_METRICS, counted_alone
from ragvigil_monitor.service import Service

logger = logging.getLogger(__name__)


def decoded(piece: Found, service: Service) -> Batch | Refused:
    """The rows of a request, or why it is none. Metrics have no rows; a request of them is counted as ignored."""
    received_us = microseconds(service.received_at())
    try:
        if piece.signal is Signal.TRACES:
            return decode_traces(piece.body, received_us, content_type=piece.content_type, pick=service.pick)
        if piece.signal is Signal.LOGS:
            return decode_logs(piece.body, received_us, content_type=piece.content_type)
    except BadTelemetry:
        return _refused(piece)
    except Exception:  # a defect of ours must not hold up what lies behind this piece
        logger.exception("A request in a file could not be decoded.")
        return _refused(piece)
    return counted_alone(IGNORED_METRICS)


def _refused(piece: Found) -> Refused:
    reason = "line_unreadable" if piece.content_type == JSON else "frame_unreadable"
    return Refused(reason, piece.body[:KEPT_BYTES], piece.end)


def split(piece: Found) -> tuple[Refused, Found] | None:
    """A line that is the half of a request and a whole one behind it; None where there is no second one."""
    begin = behind_tear(piece.body) if piece.content_type == JSON else 0
    if not begin:
        return None
    torn = Refused("line_unreadable", piece.body[:begin][:KEPT_BYTES], piece.end)
    rest = piece.body[begin:]
    return torn, Found(signal_of_json(rest) or piece.signal, rest, JSON, piece.end)


def refusal(refused: Refused) -> Batch:
    """The count of a piece that is no request."""
    return counted_alone(f"rejected_{refused.reason}")
