from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import count

import pytest
from tests.samples.demo_reports import an_alert, evidence

from ragvigil_monitor.api.models import Alert
from ragvigil_monitor.demo.evidence_report import EvidenceReport
from ragvigil_monitor.demo.incidents import Planted, cost_rise, slow_reranker
from ragvigil_monitor.demo.report import Report, Volume, judge
from ragvigil_monitor.guardrails.models import SliceShare, Triage, TriageVerdict

DAY_0 = datetime(2026, 10, 19, tzinfo=UTC)
VOLUME = Volume(
    seed=7, end=DAY_0 + timedelta(days=42), answers=60_000, days=42, spans_sent=480_000, spans_stored=480_000
)
MakeAlert = Callable[..., Alert]
EVIDENCE = evidence()


def day(number: float) -> datetime:
    return DAY_0 + timedelta(days=number)


SLOW = Planted(slow_reranker, day(29), day(35), released=True)
COSTLY = Planted(cost_rise, day(33), day(39), released=False)


@pytest.fixture
def alert() -> MakeAlert:
    numbers = count(1)

    def make(guardrail: str, opened: float, resolved: float | None = None, series: str = "answer") -> Alert:
        found = an_alert(guardrail, day(opened), None if resolved is None else day(resolved), series=series)
        return found.model_copy(update={"alert_id": f"a{next(numbers)}"})

    return make


def judged(*alerts: Alert, volume: Volume = VOLUME, evidence: EvidenceReport = EVIDENCE) -> Report:
    return judge(volume, [SLOW, COSTLY], alerts, evidence, wall_s=100.0)


def test_the_first_alert_of_its_guardrail_is_the_detection(alert: MakeAlert) -> None:
    first, later = alert("latency_p95", 29.25), alert("latency_p95", 30)
    report = judged(later, first, alert("cost_per_query", 34))
    assert report.findings[0].alert is first
    assert [finding.delay_h for finding in report.findings] == [6.0, 24.0]
    assert report.failures() == []
    assert report.secondary == (later,)


def test_another_guardrail_does_not_count_as_detection(alert: MakeAlert) -> None:
    report = judged(alert("latency_p95", 29.25), alert("latency_p95", 33.5))
    assert [finding.alert is None for finding in report.findings] == [False, True]
    assert report.failures() == ["cost_rise was not found by cost_per_query."]
    assert len(report.secondary) == 1
    assert report.false_alarms == ()


def test_an_alert_before_anything_was_planted_is_false(alert: MakeAlert) -> None:
    early = alert("latency_p95", 12, resolved=13)
    report = judged(early, alert("latency_p95", 29.5), alert("cost_per_query", 34))
    assert report.false_alarms == (early,)
    assert report.failures() == []


@pytest.mark.parametrize(
    ("opened", "is_false"),
    [(40.99, False), (41.01, True)],
    ids=["within 48 h of the end", "later than that"],
)
def test_the_aftermath_of_an_incident_lasts_48_hours(alert: MakeAlert, opened: float, is_false: bool) -> None:
    late = alert("latency_p95", opened)
    report = judged(alert("latency_p95", 29.5), alert("cost_per_query", 34), late)
    assert (late in report.false_alarms) == is_false
    assert (late in report.secondary) != is_false


def test_an_alert_that_opened_before_and_overlaps_is_neither_false_nor_a_detection(alert: MakeAlert) -> None:
    before = alert("latency_p95", 28.5)
    report = judged(before, alert("cost_per_query", 34))
    assert report.findings[0].alert is None
    assert report.secondary == (before,)


def test_an_alert_that_was_resolved_before_the_planting_is_false(alert: MakeAlert) -> None:
    assert len(judged(alert("latency_p95", 28, resolved=28.9)).false_alarms) == 1


def test_an_alert_in_the_aftermath_still_finds_the_incident(alert: MakeAlert) -> None:
    report = judged(alert("latency_p95", 36.9))
    assert report.findings[0].delay_h == pytest.approx(7.9 * 24)


def test_the_other_incident_s_alert_is_no_secondary(alert: MakeAlert) -> None:
    report = judged(alert("latency_p95", 33.6), alert("cost_per_query", 33.7))
    assert report.secondary == ()


def test_silence_means_everything_was_missed() -> None:
    report = judged()
    assert len(report.failures()) == 2
    assert [finding.delay_h for finding in report.findings] == [None, None]


@pytest.mark.parametrize(
    ("sent", "stored", "sentence"),
    [
        (10, 9, "The app sent 10 spans, but 9 are in the store."),
        (10, 11, "The app sent 10 spans, but 11 are in the store."),
        (0, 0, "The app sent no spans at all."),
    ],
)
def test_lost_spans_fail_the_run(alert: MakeAlert, sent: int, stored: int, sentence: str) -> None:
    volume = Volume(seed=7, end=day(42), answers=1, days=42, spans_sent=sent, spans_stored=stored)
    report = judged(alert("latency_p95", 30), alert("cost_per_query", 34), volume=volume)
    assert report.failures() == [sentence]


def test_json_holds_what_was_promised(alert: MakeAlert) -> None:
    found = judged(alert("latency_p95", 29.25), alert("latency_p95", 12, resolved=13), alert("cost_per_query", 30))
    said = found.as_json()
    assert {key: said[key] for key in said if not isinstance(said[key], list | dict)} == {
        "seed": 7,
        "end": "2026-11-30T00:00:00+00:00",
        "answers": 60_000,
        "spans_sent": 480_000,
        "spans_stored": 480_000,
        "days": 42,
        "wall_s": 100.0,
    }
    assert said["incidents"] == [
        {
            "kind": "slow_reranker",
            "planted_at": "2026-11-17T00:00:00+00:00",
            "ended_at": "2026-11-23T00:00:00+00:00",
            "detected_at": "2026-11-17T06:00:00+00:00",
            "delay_h": 6.0,
            "guardrail": "latency_p95",
            "slice": None,
            "triage": None,
        },
        {
            "kind": "cost_rise",
            "planted_at": "2026-11-21T00:00:00+00:00",
            "ended_at": "2026-11-27T00:00:00+00:00",
            "detected_at": None,
            "delay_h": None,
            "guardrail": "cost_per_query",
            "slice": None,
            "triage": None,
        },
    ]
    assert said["false_alarms"] == [{"guardrail": "latency_p95", "series": "answer", "at": "2026-10-31T00:00:00+00:00"}]
    assert [entry["guardrail"] for entry in said["secondary"]] == ["cost_per_query"]
    assert {key: said[key] for key in EVIDENCE.as_json()} == EVIDENCE.as_json()


def test_what_is_wrong_with_the_evidence_fails_the_run(alert: MakeAlert) -> None:
    report = judged(alert("latency_p95", 30), alert("cost_per_query", 34), evidence=evidence(n=12))
    assert report.failures() == ["Only 12 filtered queries with evidence were reviewed, not 300."]


def test_a_finding_names_the_first_slice_and_what_triage_suspects(alert: MakeAlert) -> None:
    found = alert("latency_p95", 30)
    sliced = [
        SliceShare(name=name, value=value, n=100, estimate=0.2, excess=0.1)
        for name, value in (("team", "web"), ("intent", "how_to"))
    ]
    verdict = Triage(
        verdict=TriageVerdict.REGRESSION_SUSPECTED, sentence="…", searched_from=day(29), searched_until=day(30)
    )
    evidence = found.evidence.model_copy(update={"slices": sliced, "triage": verdict})
    report = judged(found.model_copy(update={"evidence": evidence}))
    assert [(entry["slice"], entry["triage"]) for entry in report.as_json()["incidents"]] == [
        ("team=web", "regression-suspected"),
        (None, None),
    ]
