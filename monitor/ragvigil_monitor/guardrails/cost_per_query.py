"""Cost of an answer against a budget: mean, median and 99th percentile."""

from collections.abc import Mapping

from ragvigil_monitor.guardrails.above_limit import AboveLimit
from ragvigil_monitor.guardrails.guardrail import Guardrail
from ragvigil_monitor.guardrails.sentence import Words
from ragvigil_monitor.settings import Settings
from ragvigil_monitor.signals.cost_per_query import COST_PER_QUERY, QUANTILES

WORDS = Words(
    unit=COST_PER_QUERY.unit,
    subject=lambda series: f"{series} cost per answer",
    limit="budget",
    counted=lambda _series: "answers with a cost",
)


def _budgets(settings: Settings) -> Mapping[str, float]:
    return {str(name): usd for name, usd in settings.guardrails.cost_per_query.budget_usd.items()}


COST_GUARDRAIL = Guardrail(
    signal=COST_PER_QUERY,
    section=lambda settings: settings.guardrails.cost_per_query,
    rule=AboveLimit(limits=_budgets, quantile_of=QUANTILES.get, words=WORDS),
)
