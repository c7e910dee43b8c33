"""p95 latency of answers and stages against their SLOs."""

from ragvigil_monitor.guardrails.above_limit import AboveLimit
from ragvigil_monitor.guardrails.guardrail import Guardrail
from ragvigil_monitor.guardrails.sentence import Words
from ragvigil_monitor.signals.latency_p95 import ANSWER, LATENCY_P95, QUANTILE

WORDS = Words(
    unit=LATENCY_P95.unit,
    subject=lambda series: f"p95 {series} latency",
    limit="SLO",
    counted=lambda series: "answers" if series == ANSWER else f"{series} calls",
)

LATENCY_GUARDRAIL = Guardrail(
    signal=LATENCY_P95,
    section=lambda settings: settings.guardrails.latency_p95,
    rule=AboveLimit(
        limits=lambda settings: settings.guardrails.latency_p95.slo_ms,
        quantile_of=lambda _series: QUANTILE,
        words=WORDS,
        is_starting_value=lambda settings: settings.guardrails.latency_p95.is_starting_value("slo_ms"),
    ),
)
