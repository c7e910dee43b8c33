"""p95 latency of answers and stages against their SLOs."""

from ragvigil_monitor.guardrails.guardrail import Guardrail
from ragvigil_monitor.signals.latency_p95 import ANSWER, LATENCY_P95

LATENCY_GUARDRAIL = Guardrail(
    signal=LATENCY_P95,
    section=lambda settings: settings.guardrails.latency_p95,
    configured_limits=lambda settings: settings.guardrails.latency_p95.slo_ms,
    subject=lambda series: f"p95 {series} latency",
    limit_word="SLO",
    counted=lambda series: "answers" if series == ANSWER else f"{series} calls",
)
