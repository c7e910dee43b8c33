from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from ragvigil_monitor.guardrails.cost_per_query import COST_GUARDRAIL
from ragvigil_monitor.guardrails.evidence import MOST_SLICES, evidence
from ragvigil_monitor.guardrails.finding import NOTHING, Beyond, Finding
from ragvigil_monitor.guardrails.incident import Incident
from ragvigil_monitor.guardrails.latency_p95 import LATENCY_GUARDRAIL
from ragvigil_monitor.guardrails.models import State
from ragvigil_monitor.guardrails.onset_dating import OnsetTimes, onset_times
from ragvigil_monitor.guardrails.verdict import Verdict, findings, verdicts
from ragvigil_monitor.settings import Settings
from ragvigil_monitor.signals.signal import Window
from ragvigil_monitor.store import Store

AddAnswers = Callable[..., None]
OVER_SLO = Finding(
    "answer",
    Window(datetime(2026, 6, 2, tzinfo=UTC), 86400),
    NOTHING,
    State.BREACH,
    beyond=Beyond(1500.0, tolerated=0.05, quantile=0.95),
)
SETTINGS = Settings.load(guardrails={"latency_p95": {"slo_ms": {"answer": 1500}, "windows_h": [24]}})


@pytest.fixture
def verdict(memory_store: Store, monday: datetime) -> Callable[[], Verdict]:
    """What the latency guardrail says of the answers of the first day."""

    def judge() -> Verdict:
        end = monday + timedelta(days=1)
        found = findings(LATENCY_GUARDRAIL, memory_store, SETTINGS, end, alpha=0.001, answered_before=True)
        (only,) = verdicts(found)
        return only

    return judge


def slices_of(store: Store, verdict: Verdict) -> list[tuple[str, str]]:
    found = evidence(store, LATENCY_GUARDRAIL, verdict, OnsetTimes())
    return [(each.name, each.value) for each in found.slices]


@pytest.mark.parametrize(
    ("slices", "expected"),
    [
        ('{"team": "data"}', [("team", "data")]),
        ('{"team": "data", "plan": "pro"}', [("plan", "pro"), ("team", "data")]),
        ('{"Ünï \'; DROP": "\\"quoted\\""}', [("Ünï '; DROP", '"quoted"')]),
        ('{"number": 5, "nothing": null}', [("number", "5")]),
        ("{}", []),
        ("[1, 2]", []),
        ('"text"', []),
        (None, []),
    ],
    ids=["one", "two", "hostile", "no strings", "empty", "array", "string", "absent"],
)
def test_whatever_the_slices_hold_the_evidence_is_written(
    memory_store: Store,
    add_answers: AddAnswers,
    verdict: Callable[[], Verdict],
    slices: str | None,
    expected: list[tuple[str, str]],
) -> None:
    add_answers(np.arange(0, 24, 0.1), 5000.0, slices=slices, intent=None)
    assert sorted(slices_of(memory_store, verdict())) == sorted([*expected, ("service_version", "1.0")])


@pytest.mark.parametrize("intent", ["how_to", None], ids=["both", "only the slice"])
def test_a_slice_that_is_named_like_a_column_counts_once(
    memory_store: Store, add_answers: AddAnswers, verdict: Callable[[], Verdict], intent: str | None
) -> None:
    named = '{"intent": "how_to", "service_version": "1.0"}'
    add_answers(np.arange(0, 24, 0.1), 5000.0, slices=named, intent=intent)
    found = evidence(memory_store, LATENCY_GUARDRAIL, verdict(), OnsetTimes()).slices
    counts = sorted((each.name, each.value, each.n) for each in found)
    assert counts == [("intent", "how_to", 240), ("service_version", "1.0", 240)]


def test_slices_that_do_no_worse_than_they_may_are_left_out(
    memory_store: Store, add_answers: AddAnswers, verdict: Callable[[], Verdict]
) -> None:
    add_answers(np.arange(0, 24, 0.1), 5000.0, intent="slow")
    add_answers(np.arange(0, 24, 0.1), 50.0, intent="fast")
    assert ("intent", "slow") in slices_of(memory_store, verdict())
    assert ("intent", "fast") not in slices_of(memory_store, verdict())


def test_of_many_slices_the_worst_are_kept(
    memory_store: Store, add_answers: AddAnswers, verdict: Callable[[], Verdict]
) -> None:
    for number in range(1, 31):
        add_answers(np.linspace(0, 23, number * 4), 5000.0, intent=f"intent {number:02}")
    found = slices_of(memory_store, verdict())
    assert len(found) == MOST_SLICES
    assert found[:2] == [("service_version", "1.0"), ("intent", "intent 30")]


@pytest.mark.parametrize(("series", "tolerated"), [("p50", 0.5), ("p99", 0.01)])
def test_a_slice_is_estimated_like_the_whole(
    memory_store: Store, add_answers: AddAnswers, monday: datetime, series: str, tolerated: float
) -> None:
    costs = np.random.default_rng(1).lognormal(0, 1, 2400)
    add_answers(np.arange(0, 24, 0.01), stages={"generate": 1.0}, cost_usd=costs)
    end, limit = monday + timedelta(days=1), 0.5
    settings = Settings.load(guardrails={"cost_per_query": {"budget_usd": {series: limit}}})
    found = findings(COST_GUARDRAIL, memory_store, settings, end, alpha=0.001, answered_before=True)
    (verdict,) = verdicts(found)
    shown = evidence(memory_store, COST_GUARDRAIL, verdict, OnsetTimes())
    assert {each.estimate for each in shown.slices} == {shown.value}
    assert shown.slices[0].excess == pytest.approx((costs > limit).sum() - tolerated * 2400)


@pytest.mark.parametrize("opened_h", [30.0, 30.25, 30.5])
def test_the_interval_of_the_onset_is_short_and_holds_the_truth(
    memory_store: Store, add_answers: AddAnswers, monday: datetime, opened_h: float
) -> None:
    after_h = np.arange(0, 48, 0.02)
    add_answers(after_h, np.where(after_h >= 29, 5000.0, 100.0))
    opened_at = monday + timedelta(hours=opened_h)
    incident = Incident("latency_p95", "answer", opened_at, opened_at + timedelta(hours=3))
    found = onset_times(memory_store, LATENCY_GUARDRAIL, incident, OVER_SLO)
    assert found.earliest is not None
    assert found.latest is not None
    assert found.earliest <= monday + timedelta(hours=29) <= found.latest
    assert found.latest - found.earliest <= timedelta(hours=3)


def test_an_incident_older_than_the_search_has_no_onset(
    memory_store: Store, add_answers: AddAnswers, monday: datetime
) -> None:
    add_answers(np.arange(0, 48, 0.02), 5000.0)
    incident = Incident("latency_p95", "answer", monday + timedelta(hours=40), monday + timedelta(hours=47))
    assert onset_times(memory_store, LATENCY_GUARDRAIL, incident, OVER_SLO) == OnsetTimes()
