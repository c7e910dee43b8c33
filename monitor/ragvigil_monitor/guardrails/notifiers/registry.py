"""Every channel that the monitor can speak through."""

from ragvigil_monitor.guardrails.notifiers.notifier import Notifier
from ragvigil_monitor.guardrails.notifiers.webhook import WEBHOOK
from ragvigil_monitor.settings import Settings

NOTIFIERS: tuple[Notifier, ...] = (WEBHOOK,)


def enabled_notifiers(settings: Settings) -> list[Notifier]:
    """The channels that the settings configure."""
    return [notifier for notifier in NOTIFIERS if notifier.enabled(settings)]
