import pytest

from ragvigil_monitor.api.models import State
from ragvigil_monitor.guardrails.cost_per_query import COST_GUARDRAIL
from ragvigil_monitor.guardrails.guardrail import Guardrail
from ragvigil_monitor.guardrails.latency_p95 import LATENCY_GUARDRAIL
from ragvigil_monitor.guardrails.sentence import sentence
from ragvigil_monitor.statistics.interval_estimate import IntervalEstimate

SURE = IntervalEstimate(612.4, 580, 655, 540, n=354, missing=0, needed=72)
FEW = IntervalEstimate(90.04, None, None, None, n=20, missing=0, needed=72)
NONE = IntervalEstimate(None, None, None, None, n=0, missing=0, needed=72)
COST = IntervalEstimate(0.0021345, 0.002, 0.00226, 0.0019, n=1400, missing=12, needed=30)
UNKNOWN = IntervalEstimate(None, None, None, None, n=0, missing=50, needed=30)


@pytest.mark.parametrize(
    ("guardrail", "series", "estimate", "limit", "state", "expected"),
    [
        (
            *(LATENCY_GUARDRAIL, "rerank", SURE, 300.0, State.BREACH),
            "p95 rerank latency over the last 6 h: 612 ms (95 % interval 580–655 ms, n = 354), SLO 300 ms.",
        ),
        (
            *(LATENCY_GUARDRAIL, "rerank", FEW, 300.0, State.NO_POWER),
            "p95 rerank latency over the last 6 h: 90 ms (no interval yet, n = 20), SLO 300 ms."
            " A verdict needs 52 more rerank calls.",
        ),
        (
            *(LATENCY_GUARDRAIL, "answer", NONE, 1500.0, State.NO_DATA),
            "No answers over the last 6 h, although answers came before: missing evidence; SLO 1500 ms.",
        ),
        (
            *(LATENCY_GUARDRAIL, "answer", NONE, 1500.0, State.WARMING_UP),
            "No answer has arrived yet; p95 answer latency has the SLO 1500 ms.",
        ),
        (
            *(COST_GUARDRAIL, "mean", COST, 0.0025, State.OK),
            "mean cost per answer over the last 6 h: 0.00213 USD (95 % interval 0.002–0.00226 USD, n = 1400),"
            " 12 more without a usable value, budget 0.0025 USD.",
        ),
        (
            *(COST_GUARDRAIL, "mean", UNKNOWN, 0.0025, State.NO_DATA),
            "None of 50 has a usable value (answers with a cost) over the last 6 h, although answers came before:"
            " missing evidence; budget 0.0025 USD.",
        ),
    ],
    ids=["breach", "too few", "nothing", "warming up", "some missing", "all missing"],
)
def test_the_sentence_carries_the_numbers(
    guardrail: Guardrail, series: str, estimate: IntervalEstimate, limit: float, state: State, expected: str
) -> None:
    assert sentence(guardrail, series, 6 * 3600, estimate, limit, state) == expected
