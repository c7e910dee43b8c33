"""What a channel is, what it sends, and how that can end."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from ragvigil_monitor.settings import Settings


@dataclass(frozen=True, slots=True)
class Notification:
    """One thing to tell. delivery_id: the same at every attempt, so that the receiver can recognise a repetition."""

    delivery_id: str
    body: bytes
    attempt: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """How an attempt ended. error: None means delivered. retry_after_s: how long the receiver asks to wait."""

    error: str | None = None
    retry_after_s: float | None = None


@dataclass(frozen=True, slots=True)
class Notifier:
    """A channel.

    enabled: whether the settings name a receiver. send: one attempt at a given time; whatever the network does is an
    outcome, not an exception. max_attempts: how often a notification is tried.
    """

    name: str
    enabled: Callable[[Settings], bool]
    send: Callable[[Settings, Notification, datetime], Outcome]
    max_attempts: Callable[[Settings], int]
