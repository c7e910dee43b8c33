"""Cost of an answer against a budget: mean, median and 99th percentile."""

from ragvigil_monitor.guardrails.guardrail import Guardrail
from ragvigil_monitor.signals.cost_per_query import COST_PER_QUERY

COST_GUARDRAIL = Guardrail(
    signal=COST_PER_QUERY,
    section=lambda settings: settings.guardrails.cost_per_query,
    configured_limits=lambda settings: {
        str(name): usd for name, usd in settings.guardrails.cost_per_query.budget_usd.items()
    },
    subject=lambda series: f"{series} cost per answer",
    limit_word="budget",
    counted=lambda _series: "answers with a cost",
)
