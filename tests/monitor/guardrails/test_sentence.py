from typing import Any

import pytest

from ragvigil_monitor.api.models import State
from ragvigil_monitor.guardrails import cost_per_query, latency_p95
from ragvigil_monitor.guardrails.sentence import Words, amount, sentence
from ragvigil_monitor.settings import Settings
from ragvigil_monitor.statistics.interval_estimate import IntervalEstimate

SURE = IntervalEstimate(612.4, 580, 655, 540, n=354, missing=0, needed=72)
FEW = IntervalEstimate(90.04, None, None, None, n=20, missing=0, needed=72)
EARLY = IntervalEstimate(900.0, 700, None, 650, n=40, missing=0, needed=72)
NONE = IntervalEstimate(None, None, None, None, n=0, missing=0, needed=72)
COST = IntervalEstimate(0.0021345, 0.002, 0.00226, 0.0019, n=1400, missing=12, needed=30)
UNKNOWN = IntervalEstimate(None, None, None, None, n=0, missing=50, needed=30)


@pytest.mark.parametrize(
    ("words", "series", "estimate", "limit", "state", "expected"),
    [
        (
            *(latency_p95.WORDS, "rerank", SURE, 300.0, State.BREACH),
            "p95 rerank latency over the last 6 h: 612 ms (95 % interval 580–655 ms, n = 354), SLO 300 ms.",
        ),
        (
            *(latency_p95.WORDS, "rerank", FEW, 300.0, State.NO_POWER),
            "p95 rerank latency over the last 6 h: 90 ms (no interval yet, n = 20), SLO 300 ms."
            " A verdict needs 52 more rerank calls.",
        ),
        (
            *(latency_p95.WORDS, "rerank", EARLY, 300.0, State.BREACH),
            "p95 rerank latency over the last 6 h: 900 ms (no interval yet, n = 40), SLO 300 ms.",
        ),
        (
            *(latency_p95.WORDS, "answer", NONE, 1500.0, State.NO_DATA),
            "No answers over the last 6 h, although answers came before: missing evidence; SLO 1500 ms.",
        ),
        (
            *(latency_p95.WORDS, "answer", NONE, 1500.0, State.WARMING_UP),
            "No answer has arrived yet; p95 answer latency has the SLO 1500 ms.",
        ),
        (
            *(cost_per_query.WORDS, "mean", COST, 0.0025, State.OK),
            "mean cost per answer over the last 6 h: 0.00213 USD (95 % interval 0.002–0.00226 USD, n = 1400),"
            " 12 more without a usable value, budget 0.0025 USD.",
        ),
        (
            *(cost_per_query.WORDS, "mean", UNKNOWN, 0.0025, State.NO_DATA),
            "None of 50 has a usable value (answers with a cost) over the last 6 h, although answers came before:"
            " missing evidence; budget 0.0025 USD.",
        ),
    ],
    ids=["breach", "too few", "breach of few", "nothing", "warming up", "some missing", "all missing"],
)
def test_the_sentence_carries_the_numbers(
    words: Words, series: str, estimate: IntervalEstimate, limit: float, state: State, expected: str
) -> None:
    assert sentence(words, series, 6 * 3600, estimate, limit, state) == expected


def test_a_limit_that_nobody_has_set_is_called_a_starting_value() -> None:
    shipped = sentence(latency_p95.WORDS, "answer", 3600, SURE, 1500.0, State.OK, is_starting_value=True)
    assert shipped.endswith("SLO 1500 ms (starting value).")


@pytest.mark.parametrize(
    ("section", "said"),
    [({}, True), ({"every_s": 600}, True), ({"slo_ms": {"answer": 1500}}, False), ({"slo_ms": {"rerank": 1}}, False)],
    ids=["nothing set", "something else set", "set to the same", "set"],
)
def test_an_slo_is_a_starting_value_until_somebody_sets_it(section: dict[str, Any], said: bool) -> None:
    settings = Settings.load(guardrails={"latency_p95": section})
    (waiting,) = latency_p95.LATENCY_GUARDRAIL.waiting(settings).values()
    assert ("(starting value)" in waiting) == said


def test_a_share_is_said_in_percent() -> None:
    assert [amount(share, "ratio") for share in (0.02, 0.0417, 0.0, 1.0)] == ["2 %", "4.17 %", "0 %", "100 %"]
