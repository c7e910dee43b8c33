"""Feedback of users: taken from the events, joined with its answer, counted where that fails."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from ragvigil import attributes as names
from ragvigil_monitor.job import Turn, Write
from ragvigil_monitor.service import Service
from ragvigil_monitor.store import Store, Writer

PARKED_FOR: Final = timedelta(days=7)
"""How long feedback waits for an answer that has not arrived; the answer may be so much older than the feedback."""

LATELY: Final = timedelta(hours=1)
"""How long it is looked for a span below an answer that feedback may name: that reads more than answers."""

_REACH_US: Final = PARKED_FOR // timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class FeedbackCount:
    """What became of the feedback of one kind.

    given = joined + parked (the answer may still come) + unmatched. future_dated: the client's clock ran ahead.
    before_its_answer: it ran behind. In both cases the time of the call counts. known: False for a kind that nobody
    understands, which is kept and never used.
    """

    service: str
    kind: str
    known: bool
    given: int
    joined: int
    parked: int
    unmatched: int
    future_dated: int
    before_its_answer: int


def join_feedback(service: Service, turn: Turn) -> Write | None:
    """The job: take in new feedback and look for the answers of what is new or parked."""
    parked_since = turn.now - PARKED_FOR
    waiting = service.store.row("feedback_waiting", event_name=names.EVENT_FEEDBACK, parked_since=parked_since)
    if not waiting["arrived"] and not waiting["parked"]:
        return None
    open_feedback = {"taken_up_to": waiting["taken_up_to"], "parked_since": parked_since}

    def write(writer: Writer) -> None:
        _take_in(writer, waiting["taken_up_to"])
        writer.execute("join_feedback", reach_us=_REACH_US, **open_feedback)
        _join_by_span(writer, waiting["taken_up_to"], turn.now - LATELY)
        if writer.execute("feedback_naming_calls", **open_feedback)[0]["waits"]:
            response_id = _ATTRIBUTES["response_id"]
            writer.execute("join_feedback_by_call", reach_us=_REACH_US, response_id=response_id, **open_feedback)

    return write


def _join_by_span(writer: Writer, taken_up_to: int, lately: datetime) -> None:
    asked = {"taken_up_to": taken_up_to, "lately": lately}
    if writer.execute("feedback_naming_spans", **asked)[0]["waits"]:
        writer.execute("join_feedback_by_span", **asked)


def feedback_counts(store: Store, start: datetime, end: datetime, now: datetime) -> list[FeedbackCount]:
    """What became of the feedback that was given in [start, end), by service and kind."""
    found = store.rows("feedback_totals", window_start=start, window_end=end, parked_since=now - PARKED_FOR)
    return [FeedbackCount(known=row["kind"] in names.FEEDBACK_KINDS, **row) for row in found]


def _take_in(writer: Writer, taken_up_to: int) -> None:
    event_name = names.EVENT_FEEDBACK
    writer.execute("add_feedback", event_name=event_name, taken_up_to=taken_up_to, reach_us=_REACH_US, **_ATTRIBUTES)


def _path(attribute: str) -> str:
    return f'$."{attribute}"'


_ATTRIBUTES: Final = {
    "kind": _path(names.FEEDBACK_KIND),
    "reason": _path(names.FEEDBACK_REASON),
    "value": _path(names.FEEDBACK_VALUE),
    "answer_id": _path(names.ANSWER_ID),
    "response_id": _path(names.RESPONSE_ID),
    "answer_started_at": _path(names.ANSWER_STARTED_AT),
}
