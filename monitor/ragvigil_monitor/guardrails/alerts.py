"""What people do to alerts: acknowledge them, silence them. Everything is written down."""

from datetime import datetime

from ragvigil_monitor.errors import UnknownAlert
from ragvigil_monitor.keys import Role
from ragvigil_monitor.store import Store, Writer


def acknowledge(store: Store, alert_id: str, *, by: str, note: str, now: datetime) -> None:
    """Note that somebody is on it; a later acknowledgement replaces an earlier one.

    Raises UnknownAlert. A resolved alert stays resolved.
    """
    with store.transaction() as writer:
        if not writer.execute("acknowledge_alert", alert_id=alert_id, by=by, note=note, now=now):
            raise UnknownAlert(alert_id)
        _note(writer, by, f"acknowledge: {note}" if note else "acknowledge", alert_id, now)


def silence(store: Store, alert_id: str, *, by: str, until: datetime, now: datetime) -> None:
    """Send nothing about it before `until`; what is still worth telling then is told then.

    Raises UnknownAlert, and ValueError when `until` is not after `now`. A resolved alert stays resolved.
    """
    if until <= now:
        raise ValueError(f"an alert can be silenced until a time after {now.isoformat()}; got {until.isoformat()}")
    with store.transaction() as writer:
        if not writer.execute("silence_alert", alert_id=alert_id, until=until):
            raise UnknownAlert(alert_id)
        _note(writer, by, f"silence until {until.isoformat()}", alert_id, now)


def _note(writer: Writer, actor: str, action: str, subject: str, now: datetime) -> None:
    writer.execute("add_audit", happened_at=now, role=Role.ONCALL.value, actor=actor, action=action, subject=subject)
