"""Pieces of a file into the store, in order: a position is stored only with everything before it."""

import logging
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Final

from ragvigil_monitor.errors import BadTelemetry, StoreUnavailable
from ragvigil_monitor.receiver.batch import Batch
from ragvigil_monitor.receiver.bodies import JSON
from ragvigil_monitor.receiver.decoding import decode_logs, decode_traces
from ragvigil_monitor.receiver.files.found import KEPT_BYTES, Found, Refused, Signal
from ragvigil_monitor.receiver.files.signals import behind_tear, signal_of_json
from ragvigil_monitor.receiver.resources import UNKNOWN_SERVICE
from ragvigil_monitor.receiver.times import microseconds
from ragvigil_monitor.service import Service

GROUP_ROWS: Final = 2000
"""Pieces are submitted together until they have so many rows: a commit costs about as much as 200 spans."""
GROUP_PIECES: Final = 2000

logger = logging.getLogger(__name__)


def decoded(piece: Found, service: Service) -> Batch | Refused:
    """The rows of a request, or why it is none. Metrics have no rows."""
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
    return Batch()


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
    batch = Batch()
    batch.count(UNKNOWN_SERVICE, f"rejected_{refused.reason}")
    return batch


def has_refusal(batch: Batch) -> bool:
    """Whether something of a piece is in no table, be it a span alone."""
    return batch.rejected() > 0


@dataclass(frozen=True, slots=True)
class _Pending:
    """Batches that were submitted as one, a piece each."""

    parts: list[Batch]
    done: Future[None]


class Storing:
    """Hands batches to the committer in groups, each when the one before is on disk; meanwhile the next is decoded."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._group: list[Batch] = []
        self._rows = 0
        self._pending: _Pending | None = None

    def add(self, part: Batch) -> None:
        """Take what the next piece holds, with its position; raises StoreUnavailable and Overloaded."""
        self._group.append(part)
        self._rows += part.rows()
        if self._rows >= GROUP_ROWS or len(self._group) >= GROUP_PIECES:
            self._close_group()

    def finish(self) -> None:
        """Wait until everything is committed; raises StoreUnavailable and Overloaded."""
        self._close_group()
        self._settle()

    def _close_group(self) -> None:
        parts, self._group, self._rows = self._group, [], 0
        self._settle()
        if parts:
            self._submit(parts)

    def _submit(self, parts: list[Batch]) -> None:
        together = Batch()
        for part in parts:
            together.add(part)
        self._pending = _Pending(parts, self._service.committer.submit(together, is_divisible=len(parts) > 1))

    def _settle(self) -> None:
        """Wait for the commit that is under way; of a group that no table takes, each piece on its own."""
        pending, self._pending = self._pending, None
        if pending is None:
            return
        failure = pending.done.exception()
        if isinstance(failure, StoreUnavailable):
            raise failure
        if failure is None:
            self._forward(pending.parts)
        else:
            self._one_by_one(pending.parts)

    def _one_by_one(self, parts: list[Batch]) -> None:
        """Store what can be; of a piece alone that cannot, and that the committer has counted, only the position."""
        for part in parts if len(parts) > 1 else [Batch(positions=parts[0].positions)]:
            self._submit([part])
            self._settle()

    def _forward(self, stored: list[Batch]) -> None:
        for batch in stored:
            self._service.forward(batch.picked)
