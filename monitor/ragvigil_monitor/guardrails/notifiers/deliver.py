"""The jobs of the outbox: put aside what nobody needs to hear any more, send the rest.

An alert that opened and resolved before the first attempt pages nobody: after a pause, or when history is judged for
the first time, its notifications stay in the outbox as `withheld`. One that is still firing is sent, however old.
Sending holds no transaction. An attempt whose record is lost is repeated under the same delivery id.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from ragvigil_monitor.guardrails.notifiers.notifier import Notification, Notifier, Outcome
from ragvigil_monitor.guardrails.notifiers.registry import enabled_notifiers
from ragvigil_monitor.job import Turn, Write
from ragvigil_monitor.retry_delay import delay_s
from ragvigil_monitor.service import Service
from ragvigil_monitor.store import Writer
from ragvigil_monitor.store.database import Row

MOST_AT_ONCE = 20
LONGEST_RETRY_AFTER_S = 86400.0
WITHHELD = "not sent: the alert had resolved before anybody was told of it"


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt to send, as it is written down. state: delivered, pending (to be repeated) or given_up."""

    delivery_id: str
    attempts: int
    state: str
    delivered_at: datetime | None
    next_attempt_at: datetime | None
    last_error: str | None


def settle(service: Service, turn: Turn) -> Write | None:
    """End the silences that are over, withhold what nobody needs to hear any more."""
    if not service.store.row("notifications_waiting")["waiting"]:
        return None

    def write(writer: Writer) -> None:
        writer.execute("end_silences", now=turn.now)
        writer.execute("withhold_notifications", reason=WITHHELD)

    return write


def deliver(service: Service, turn: Turn) -> Write | None:
    """Send what is due through every channel, then hand back what became of it."""
    attempts = [
        attempt for notifier in enabled_notifiers(service.settings) for attempt in _send(service, notifier, turn.now)
    ]
    if not attempts:
        return None

    def write(writer: Writer) -> None:
        for attempt in attempts:
            _record(writer, attempt)

    return write


def attempted(notification: Notification, outcome: Outcome, now: datetime, max_attempts: int) -> Attempt:
    """What an attempt with this outcome leads to; a Retry-After beyond a day counts as a day."""
    identity, attempts = notification.delivery_id, notification.attempt
    if outcome.error is None:
        return Attempt(identity, attempts, "delivered", now, None, None)
    if attempts >= max_attempts:
        return Attempt(identity, attempts, "given_up", None, None, outcome.error)
    asked_s = min(outcome.retry_after_s or 0.0, LONGEST_RETRY_AFTER_S)
    again_at = now + timedelta(seconds=max(asked_s, delay_s(identity, attempts)))
    return Attempt(identity, attempts, "pending", None, again_at, outcome.error)


def _send(service: Service, notifier: Notifier, now: datetime) -> list[Attempt]:
    """Send until one fails: a receiver that is down costs one time-out a run, not one for each notification."""
    attempts: list[Attempt] = []
    for row in service.store.rows("due_deliveries", channel=notifier.name, now=now, most=MOST_AT_ONCE):
        notification = _notification(row)
        outcome = notifier.send(service.settings, notification, now)
        attempts.append(attempted(notification, outcome, now, notifier.max_attempts(service.settings)))
        if outcome.error is not None:
            break
    return attempts


def _notification(row: Row) -> Notification:
    return Notification(row["delivery_id"], row["payload"].encode(), row["attempts"] + 1)


def _record(writer: Writer, attempt: Attempt) -> None:
    writer.execute(
        "record_attempt",
        delivery_id=attempt.delivery_id,
        attempts=attempt.attempts,
        state=attempt.state,
        delivered_at=attempt.delivered_at,
        next_attempt_at=attempt.next_attempt_at,
        last_error=attempt.last_error,
    )
