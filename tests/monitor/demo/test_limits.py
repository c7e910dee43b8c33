from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import ragvigil
from ragvigil import attributes as names
from ragvigil.testing import InMemoryExporter, strict
from ragvigil_monitor.demo.app import App
from ragvigil_monitor.demo.clock import SimulatedClock
from ragvigil_monitor.demo.following import Asking
from ragvigil_monitor.demo.incidents import Planted, cost_rise, slow_reranker
from ragvigil_monitor.demo.library import Library
from ragvigil_monitor.demo.owner import write_settings
from ragvigil_monitor.demo.plan import Plan
from ragvigil_monitor.demo.users import Visit
from ragvigil_monitor.settings import Guardrails, Settings

COMFORT = 1.1
"""Limits lie at least a tenth above what is normal."""


@dataclass(frozen=True)
class Traffic:
    """Durations in ms by stage (`answer` is the whole) and costs in USD of some answers."""

    durations_ms: dict[str, NDArray[np.float64]]
    costs_usd: NDArray[np.float64]

    def p95_ms(self, stage: str) -> float:
        return float(np.percentile(self.durations_ms[stage], 95))

    def cost_usd(self, statistic: str) -> float:
        statistics = {
            "mean": np.mean(self.costs_usd),
            "p50": np.median(self.costs_usd),
            "p99": np.percentile(self.costs_usd, 99),
        }
        return float(statistics[statistic])


def traffic_of(plan: Plan, library: Library) -> Traffic:
    """What the instrumentation would tell of a plan, without a monitor."""
    exporter, clock = InMemoryExporter(), SimulatedClock(plan.start)
    healthy = library.healthy_parts(plan.seed)
    with strict():
        ragvigil.configure(service_name="demo", exporter=exporter, clock=clock, max_queue_traces=10_000)
        app = App(library, clock.wait_ms)
        for visit in plan.events():
            if isinstance(visit, Visit):
                clock.move_to(visit.at)
                parts = plan.parts_at(healthy, visit.at)
                app.answer(plan.request(Asking(visit.at, visit, plan.question(visit, parts))), parts)
        assert ragvigil.flush(60)
        ragvigil.shutdown()
    return measured(exporter)


def measured(exporter: InMemoryExporter) -> Traffic:
    stages = sorted({span.name for span in exporter.spans} - {"ask"})
    durations = {stage: np.array([span.duration_s * 1000 for span in exporter.named(stage)]) for stage in stages}
    durations["answer"] = np.array([span.duration_s * 1000 for span in exporter.named("ask")])
    costs: dict[str, float] = {}
    for span in exporter.spans:
        costs[span.trace_id] = costs.get(span.trace_id, 0) + span.attributes.get(names.STAGE_COST, 0)
    return Traffic(durations, np.array(list(costs.values())))


@pytest.fixture(scope="module")
def guardrails(tmp_path_factory: pytest.TempPathFactory) -> Guardrails:
    return Settings.load(write_settings(tmp_path_factory.mktemp("owner"), on_request=True)).guardrails


def a_week(*planted: Planted) -> Plan:
    end = datetime.fromisoformat("2026-11-30T00:00:00+00:00")
    drawn = Plan.draw(seed=11, end=end, days=7, answers=1500, incidents=())
    return Plan(drawn.seed, drawn.start, drawn.end, drawn.answers, planted, drawn.releases)


@pytest.fixture(scope="module")
def normal(library: Library) -> Traffic:
    return traffic_of(a_week(), library)


@pytest.fixture(scope="module")
def troubled(library: Library) -> Traffic:
    quiet = a_week()
    both = (
        Planted(incident, quiet.start - timedelta(days=1), quiet.end, released=False)
        for incident in (slow_reranker, cost_rise)
    )
    return traffic_of(a_week(*both), library)


@pytest.mark.parametrize("stage", ["answer", "retrieve", "rerank", "generate"])
def test_normal_latency_is_comfortably_below_the_slo(normal: Traffic, guardrails: Guardrails, stage: str) -> None:
    assert COMFORT * normal.p95_ms(stage) < guardrails.latency_p95.slo_ms[stage]


@pytest.mark.parametrize("statistic", ["mean", "p50", "p99"])
def test_normal_cost_is_comfortably_below_the_budget(normal: Traffic, guardrails: Guardrails, statistic: str) -> None:
    budgets = {str(name): budget for name, budget in guardrails.cost_per_query.budget_usd.items()}
    assert COMFORT * normal.cost_usd(statistic) < budgets[statistic]


def test_a_normal_answer_costs_about_a_fifth_of_a_cent(normal: Traffic) -> None:
    assert normal.cost_usd("mean") == pytest.approx(0.002, rel=0.1)


def test_costs_are_skewed_as_costs_are(normal: Traffic) -> None:
    assert normal.cost_usd("p50") < normal.cost_usd("mean") < normal.cost_usd("p99") / 2


def test_the_incidents_are_above_the_limits_that_their_guardrails_watch(
    troubled: Traffic, guardrails: Guardrails
) -> None:
    assert troubled.p95_ms("rerank") > COMFORT * guardrails.latency_p95.slo_ms["rerank"]
    assert troubled.cost_usd("mean") > COMFORT * guardrails.cost_per_query.budget_usd["mean"]


def test_the_incidents_change_traffic_by_exactly_their_factor(normal: Traffic, troubled: Traffic) -> None:
    np.testing.assert_allclose(np.sort(troubled.costs_usd), 1.4 * np.sort(normal.costs_usd))
    slower = np.sort(troubled.durations_ms["rerank"]) / np.sort(normal.durations_ms["rerank"])
    np.testing.assert_allclose(slower, 2.5, rtol=1e-6)
    for stage in ("rewrite", "embed", "filter", "retrieve", "assemble", "generate"):
        np.testing.assert_allclose(np.sort(troubled.durations_ms[stage]), np.sort(normal.durations_ms[stage]))


def test_settings_are_written_for_every_limit_that_is_tested_here(guardrails: Guardrails, tmp_path: Path) -> None:
    assert set(guardrails.latency_p95.slo_ms) == {"answer", "retrieve", "rerank", "generate"}
    assert set(guardrails.cost_per_query.budget_usd) == {"mean", "p50", "p99"}
