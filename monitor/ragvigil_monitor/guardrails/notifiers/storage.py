"""Tell people that nothing can be stored, or soon not: past the outbox, which lies in the store.

What is to be told waits in memory, so a restart begins anew: what is still wrong is told again.
"""

import hashlib
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

import orjson

from ragvigil_monitor.guardrails.changes import Transition
from ragvigil_monitor.guardrails.notifiers.notifier import Notification, Notifier
from ragvigil_monitor.guardrails.notifiers.registry import enabled_notifiers
from ragvigil_monitor.retry_delay import delay_s
from ragvigil_monitor.settings import Settings
from ragvigil_monitor.store.disk import Trouble

logger = logging.getLogger(__name__)

_MOST_WAITING: Final = 20
Channels = Callable[[Settings], Sequence[Notifier]]


@dataclass(frozen=True, slots=True)
class _Notice:
    notifier: Notifier
    notification: Notification
    due_at: datetime


class StorageNotices:
    """Called now and then with what is wrong; logs and sends what has begun and what has ended."""

    def __init__(self, settings: Settings, channels: Channels = enabled_notifiers) -> None:
        self._settings = settings
        self._channels = channels
        self._open: dict[str, Trouble] = {}
        self._waiting: list[_Notice] = []

    def tell(self, troubles: Sequence[Trouble], now: datetime) -> None:
        """Note what changed, then send what is due; what is not taken is tried again later."""
        present = {trouble.part: trouble for trouble in troubles}
        for part in self._open.keys() - present.keys():
            logger.warning("%s: no longer a problem", part)
            self._announce(self._open[part], "resolved", now)
        for part in present.keys() - self._open.keys():
            logger.error("%s: %s", part, present[part].detail)
            self._announce(present[part], "opened", now)
        self._open = present
        self._send_due(now)

    def _announce(self, trouble: Trouble, transition: Transition, now: datetime) -> None:
        for notifier in self._channels(self._settings):
            self._waiting.append(_Notice(notifier, _notification(trouble, notifier.name, transition), now))
        del self._waiting[:-_MOST_WAITING]

    def _send_due(self, now: datetime) -> None:
        due, self._waiting = self._waiting, []
        for notice in due:
            again = notice if notice.due_at > now else self._after_attempt(notice, now)
            self._waiting += [] if again is None else [again]

    def _after_attempt(self, notice: _Notice, now: datetime) -> _Notice | None:
        """None when it is delivered, or was tried often enough."""
        outcome = notice.notifier.send(self._settings, notice.notification, now)
        if outcome.error is None:
            return None
        sent = notice.notification
        if sent.attempt >= notice.notifier.max_attempts(self._settings):
            logger.error("A %s notification was given up: %s", notice.notifier.name, outcome.error)
            return None
        wait_s = max(outcome.retry_after_s or 0.0, delay_s(sent.delivery_id, sent.attempt))
        return replace(
            notice,
            notification=replace(sent, attempt=sent.attempt + 1),
            due_at=now + timedelta(seconds=min(wait_s, 86400.0)),
        )


def _notification(trouble: Trouble, channel: str, transition: Transition) -> Notification:
    since = trouble.since.isoformat()
    identity = hashlib.sha256(f"{trouble.part}\n{since}\n{channel}\n{transition}".encode()).hexdigest()[:32]
    problem = {"part": trouble.part, "since": since, "detail": trouble.detail}
    body = {"delivery_id": identity, "transition": transition, "problem": problem}
    return Notification(identity, orjson.dumps(body), 1)
