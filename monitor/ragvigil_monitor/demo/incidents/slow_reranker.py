"""The reranker becomes slow: every call takes two and a half times as long."""

from dataclasses import replace

from ragvigil_monitor.demo.incidents.incident import Incident
from ragvigil_monitor.demo.parts import Parts

FACTOR = 2.5


def _change(parts: Parts) -> Parts:
    return replace(parts, latency=parts.latency.slowed("rerank", FACTOR))


slow_reranker = Incident(
    kind="slow_reranker",
    guardrail="latency_p95",
    sentence=f"the reranker takes {FACTOR:g} times as long",
    change=_change,
)
