"""The outbox: notifications are written with the transition that they announce, and sent later."""

import hashlib
from datetime import datetime

import orjson

from ragvigil_monitor.guardrails.changes import Transition
from ragvigil_monitor.guardrails.models import Alert, Evidence
from ragvigil_monitor.guardrails.notifiers.registry import enabled_notifiers
from ragvigil_monitor.settings import Settings
from ragvigil_monitor.store import Writer
from ragvigil_monitor.store.database import Row


def announce(writer: Writer, settings: Settings, alert_id: str, transition: Transition, *, at: datetime) -> None:
    """Put one notification for each configured channel into the outbox, once, however often this is repeated."""
    for notifier in enabled_notifiers(settings):
        identity = delivery_id(alert_id, notifier.name, transition)
        (row,) = writer.execute("alert_by_id", alert_id=alert_id)
        writer.execute(
            "add_delivery",
            delivery_id=identity,
            alert_id=alert_id,
            channel=notifier.name,
            transition=transition,
            payload=_payload(identity, transition, row),
            created_at=at,
        )


def delivery_id(alert_id: str, channel: str, transition: Transition) -> str:
    """The same for the same notification in every replay: 32 hex digits."""
    return hashlib.sha256(f"{alert_id}\n{channel}\n{transition}".encode()).hexdigest()[:32]


def _payload(identity: str, transition: Transition, row: Row) -> str:
    alert = Alert(**{**row, "evidence": Evidence.model_validate_json(row["evidence"])})
    body = {"delivery_id": identity, "transition": transition, "alert": alert.model_dump(mode="json")}
    return orjson.dumps(body).decode()
