"""Every setting of the monitor, one file a group."""

from ragvigil_monitor.settings.drift import Drift
from ragvigil_monitor.settings.guardrails import Faithfulness, FalseExclusion, Guardrails, QueryDrift, RateBand
from ragvigil_monitor.settings.judge import JudgeSettings
from ragvigil_monitor.settings.phoenix import Phoenix
from ragvigil_monitor.settings.retention import Retention
from ragvigil_monitor.settings.review import Review
from ragvigil_monitor.settings.service import Server, Spool, Webhook
from ragvigil_monitor.settings.settings import Settings

__all__ = [
    "Drift",
    "Faithfulness",
    "FalseExclusion",
    "Guardrails",
    "JudgeSettings",
    "Phoenix",
    "QueryDrift",
    "RateBand",
    "Retention",
    "Review",
    "Server",
    "Settings",
    "Spool",
    "Webhook",
]
