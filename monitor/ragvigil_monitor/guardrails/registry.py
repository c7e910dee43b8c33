"""Every guardrail that the monitor has, in the order in which they are judged."""

from typing import Any

from ragvigil_monitor.guardrails.cost_per_query import COST_GUARDRAIL
from ragvigil_monitor.guardrails.faithfulness import FAITHFULNESS_GUARDRAIL
from ragvigil_monitor.guardrails.false_exclusion import FALSE_EXCLUSION_GUARDRAIL
from ragvigil_monitor.guardrails.guardrail import Guardrail
from ragvigil_monitor.guardrails.latency_p95 import LATENCY_GUARDRAIL
from ragvigil_monitor.guardrails.query_drift import DRIFT_GUARDRAIL
from ragvigil_monitor.guardrails.refusal_rate import REFUSAL_GUARDRAIL
from ragvigil_monitor.guardrails.regeneration_rate import REGENERATION_GUARDRAIL
from ragvigil_monitor.guardrails.thumbs_down_rate import THUMBS_DOWN_GUARDRAIL

GUARDRAILS: tuple[Guardrail[Any], ...] = (
    LATENCY_GUARDRAIL,
    COST_GUARDRAIL,
    FALSE_EXCLUSION_GUARDRAIL,
    FAITHFULNESS_GUARDRAIL,
    REGENERATION_GUARDRAIL,
    THUMBS_DOWN_GUARDRAIL,
    REFUSAL_GUARDRAIL,
    DRIFT_GUARDRAIL,
)
