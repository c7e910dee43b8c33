"""The job that brings what people said of answers to Phoenix: each once, late rather than never, only where it is."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pyarrow as pa

from ragvigil_monitor.job import Turn, Write
from ragvigil_monitor.phoenix.annotation import Annotation
from ragvigil_monitor.phoenix.annotation_client import Reply, Sent, send
from ragvigil_monitor.phoenix.share import is_in_share
from ragvigil_monitor.retry_delay import LONGEST_DELAY_S, delay_s
from ragvigil_monitor.service import Service
from ragvigil_monitor.store import Store, Writer

LOOKED_BACK: Final = timedelta(days=30)
"""What was said before is not sent any more; few keep traces longer in Phoenix."""
MOST_READ: Final = 200
MOST_SENT: Final = 20
MOST_REFUSALS: Final = 12
"""Over a few hours: Phoenix may need minutes to store a span that it has taken."""

_LONGEST_WAIT_S: Final = {Reply.TAKEN: 0.0, Reply.NOT_TAKEN: LONGEST_DELAY_S, Reply.UNREACHED: 300.0}
_STATES: Final = {Reply.TAKEN: "delivered", Reply.NOT_TAKEN: "pending", Reply.UNREACHED: "unreached"}

_FATE: Final = pa.schema(
    {
        "source": pa.string(),
        "identifier": pa.string(),
        "state": pa.string(),
        "attempts": pa.int32(),
        "refusals": pa.int32(),
        "tried_at": pa.timestamp("us"),
        "next_attempt_at": pa.timestamp("us"),
        "last_error": pa.string(),
    }
)


@dataclass(frozen=True, slots=True)
class AnnotationCounts:
    """What became of what people said in the last 30 days.

    not_forwarded: the trace is not in Phoenix. given_up: Phoenix never took it, last_error says why. unreached_since:
    None while Phoenix answers.
    """

    delivered: int
    waiting: int
    given_up: int
    not_forwarded: int
    unreached_since: datetime | None
    last_error: str | None


def annotate(service: Service, turn: Turn) -> Write | None:
    """The job: send what is due, then hand back what became of it."""
    settings = service.settings.phoenix
    rows = service.store.rows("annotations_due", since=turn.now - LOOKED_BACK, now=turn.now, most=MOST_READ)
    due = [Annotation(**row) for row in rows]
    inside = [each for each in due if is_in_share(each.trace_id, settings.share)][:MOST_SENT]
    outside = [each for each in due if not is_in_share(each.trace_id, settings.share)]
    fates = [_fate(each, "not_forwarded", turn.now) for each in outside]
    fates += [_after(sent, turn.now) for sent in (send(settings, inside) if inside else [])]
    if not fates:
        return None

    def write(writer: Writer) -> None:
        writer.execute_with("record_annotations", pa.Table.from_pylist(fates, _FATE))

    return write


def annotation_counts(store: Store, now: datetime) -> AnnotationCounts:
    """What became of what people said."""
    return AnnotationCounts(**store.row("annotation_totals", since=now - LOOKED_BACK))


def _after(sent: Sent, now: datetime) -> dict[str, Any]:
    """What an attempt leads to."""
    annotation = sent.annotation
    attempts, refusals = annotation.attempts + 1, annotation.refusals + (sent.reply is Reply.NOT_TAKEN)
    state = _STATES[sent.reply] if refusals < MOST_REFUSALS else "given_up"
    is_over = state in {"delivered", "given_up"}
    wait_s = min(delay_s(annotation.identifier, attempts), _LONGEST_WAIT_S[sent.reply])
    again_at = None if is_over else now + timedelta(seconds=wait_s)
    tried = {"attempts": attempts, "refusals": refusals, "next_attempt_at": _stored(again_at), "last_error": sent.error}
    return {**_fate(annotation, state, now), **tried}


def _fate(annotation: Annotation, state: str, now: datetime) -> dict[str, Any]:
    return {
        "source": annotation.source,
        "identifier": annotation.identifier,
        "state": state,
        "attempts": annotation.attempts,
        "refusals": annotation.refusals,
        "tried_at": _stored(now),
    }


def _stored(moment: datetime | None) -> datetime | None:
    return None if moment is None else moment.astimezone(UTC).replace(tzinfo=None)
