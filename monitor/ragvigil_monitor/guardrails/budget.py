"""The false-alarm budget: what it leaves to one look.

With B false alarms a week over all guardrails and M looks a week, each look may err with probability B / M: then the
expected number of false breaches a week is at most B, however the looks depend on each other (Bonferroni).
"""

import math
from collections.abc import Iterable
from typing import Any

from ragvigil_monitor.guardrails.guardrail import Guardrail
from ragvigil_monitor.guardrails.models import AlarmBudget
from ragvigil_monitor.guardrails.registry import GUARDRAILS
from ragvigil_monitor.settings import Settings

WEEK_S = 7 * 86400
LOOSEST_ALPHA = 0.025
"""An alarm is never easier than the 95 % interval that is shown beside it."""


def alarm_budget(settings: Settings, guardrails: Iterable[Guardrail[Any]] = GUARDRAILS) -> AlarmBudget:
    """Share the budget of `settings` equally among all looks: each guarded series and side, each window, each time."""
    looks = sum(_looks_per_week(guardrail, settings) for guardrail in guardrails)
    per_week = settings.alarms.false_alarms_per_week
    alpha = min(LOOSEST_ALPHA, per_week / looks) if looks else LOOSEST_ALPHA
    return AlarmBudget(per_week=per_week, looks_per_week=looks, alpha_per_look=alpha)


def _looks_per_week(guardrail: Guardrail[Any], settings: Settings) -> int:
    times = math.ceil(WEEK_S / guardrail.every_s(settings))
    return times * len(guardrail.windows_s(settings)) * guardrail.chances(settings)
