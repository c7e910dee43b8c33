from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
from rich.console import Console
from tests.samples.demo_reports import an_alert, evidence

from ragvigil_monitor.demo.console import beginning, explanations, findings_table, progress, summary
from ragvigil_monitor.demo.incidents import INCIDENTS, Incident, Planted, cost_rise, slow_reranker
from ragvigil_monitor.demo.plan import Plan
from ragvigil_monitor.demo.report import Report, Volume, judge
from ragvigil_monitor.guardrails.models import Triage, TriageVerdict

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


def everything_missed() -> Report:
    planted = [
        Planted(slow_reranker, NOON, NOON + timedelta(days=5.5), released=True),
        Planted(cost_rise, NOON, NOON + timedelta(days=5), released=False),
    ]
    return judge(Volume(7, NOON, 60_000, 42.0, 480_000, 480_000), planted, [], evidence(), wall_s=93.4)


def shown(report: Report, width: int = 80) -> str:
    console = Console(file=StringIO(), width=width)
    console.print(findings_table(report))
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


def test_the_table_fits_a_terminal_of_80_columns() -> None:
    lines = shown(everything_missed()).splitlines()
    assert len(lines) == 3
    assert lines[1].split() == ["slow_reranker", "20", "Nov", "12:00", "5.5", "d", "latency_p95", "missed"]
    assert lines[2].split() == ["cost_rise", "20", "Nov", "12:00", "5.0", "d", "cost_per_query", "missed"]


@pytest.mark.parametrize("incident", INCIDENTS, ids=lambda incident: incident.kind)
def test_no_incident_is_cut_short_within_80_columns(incident: Incident) -> None:
    found = an_alert(incident.guardrail, NOON + timedelta(hours=100))
    planted = [Planted(incident, NOON, NOON + timedelta(days=5.5), released=True)]
    said = shown(judge(Volume(7, NOON, 60_000, 42.0, 8, 8), planted, [found], evidence(), wall_s=1))
    assert "…" not in said
    assert said.split()[-5:] == ["24", "Nov", "16:00", "100.0", "h"]


def test_an_incident_that_is_still_on_is_said_to_go_on_within_80_columns() -> None:
    going_on = Planted(slow_reranker, NOON - timedelta(days=6), NOON, released=True, goes_on=True)
    report = judge(Volume(7, NOON, 60_000, 42.0, 8, 8), [going_on], [], evidence(), wall_s=1)
    (line,) = shown(report).splitlines()[1:]
    assert line.split() == ["slow_reranker", "14", "Nov", "12:00", "goes", "on", "latency_p95", "missed"]


def test_the_summary_has_the_numbers() -> None:
    said = summary(everything_missed())
    assert "60,000 answers in 42 simulated days, 93 s" in said
    assert "sent 480,000, stored 480,000" in said
    assert "0 false alarms" in said


def test_the_beginning_says_what_is_simulated_and_how_to_repeat_it() -> None:
    plan = Plan.draw(seed=1, end=NOON, days=42, answers=100)
    assert beginning(plan) == (
        "Simulating 42 days until 20 Nov 12:00 UTC, seed 1. Repeat with --seed 1 --end 2026-11-20T12:00:00+00:00."
    )


def test_each_incident_is_explained() -> None:
    assert explanations(everything_missed()) == [
        "slow_reranker, with a release: the reranker takes 2.5 times as long.",
        "cost_rise: an answer costs 40% more.",
    ]


def test_what_an_alert_suspects_is_told_beside_the_truth() -> None:
    suspected = Triage(
        verdict=TriageVerdict.REGRESSION_SUSPECTED,
        sentence="Something was released.",
        searched_from=NOON,
        searched_until=NOON + timedelta(hours=9),
    )
    opened = an_alert(slow_reranker.guardrail, NOON + timedelta(hours=2))
    alert = opened.model_copy(update={"evidence": opened.evidence.model_copy(update={"triage": suspected})})
    planted = [Planted(slow_reranker, NOON, NOON + timedelta(days=5), released=True)]
    (said,) = explanations(judge(Volume(7, NOON, 60_000, 42.0, 8, 8), planted, [alert], evidence(), wall_s=1))
    assert said.endswith("takes 2.5 times as long. The alert says regression-suspected.")


def test_the_bar_tells_the_day_and_ends_full() -> None:
    plan = Plan.draw(seed=1, end=NOON, days=2, answers=100)
    console = Console(file=StringIO(), width=120, force_terminal=True)
    with progress(plan, console) as tell:
        tell(40, 1)
        tell(97, 2)
    assert isinstance(console.file, StringIO)
    assert "simulated day 2 of 2" in console.file.getvalue()
    assert "97/97" in console.file.getvalue()
