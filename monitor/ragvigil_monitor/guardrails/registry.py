"""Every guardrail that the monitor has, in the order in which they are judged."""

from typing import Any

from ragvigil_monitor.guardrails.cost_per_query import COST_GUARDRAIL
from ragvigil_monitor.guardrails.guardrail import Guardrail
from ragvigil_monitor.guardrails.latency_p95 import LATENCY_GUARDRAIL
from ragvigil_monitor.guardrails.query_drift import DRIFT_GUARDRAIL

GUARDRAILS: tuple[Guardrail[Any], ...] = (
    LATENCY_GUARDRAIL,
    COST_GUARDRAIL,
    DRIFT_GUARDRAIL,
)
