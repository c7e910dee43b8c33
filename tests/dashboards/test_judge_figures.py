"""A lower limit on card and gauge, and judges in words."""

from datetime import timedelta
from typing import Any

import pytest

from ragvigil_dashboards.client import Client
from ragvigil_dashboards.figures import gauge
from ragvigil_dashboards.figures.alert_card import worst_first
from ragvigil_dashboards.figures.judge_line import calibration_words, judge_lines
from ragvigil_dashboards.figures.reader import Reader
from ragvigil_dashboards.judge_models import JudgeCalibration, JudgeInfo
from ragvigil_dashboards.models import Alert

KNOWN = {"pairs": 140, "positives": 40, "kappa": 0.613, "positive_agreement": 0.72}


def alert(client: Client, name: str, **evidence: Any) -> Alert:
    first = client.status().alerts[0]
    bare = {"lower": None, "upper": None, "alarm_lower": None, "alarm_upper": None, **evidence}
    return first.model_copy(
        update={"alert_id": name, "state": "firing", "evidence": first.evidence.model_copy(update=bare)}
    )


def calibration(**values: Any) -> JudgeCalibration:
    known = {"state": "calibrated", "more_positives": 0, "unscorable": 0, **KNOWN}
    return JudgeCalibration.model_validate({**known, **values})


def test_alerts_are_ordered_by_how_far_the_interval_lies_beyond_the_limit_on_either_side(client: Client) -> None:
    below = {"limit": 0.8, "unit": "ratio"}
    alerts = [
        alert(client, "a little above", value=420.0, lower=401.0, upper=500.0, limit=400.0),
        alert(client, "nothing left", value=0.0, upper=0.0, **below),
        alert(client, "half", value=0.3, lower=0.2, upper=0.4, **below),
        alert(client, "three times", value=1400.0, lower=1200.0, upper=1500.0, limit=400.0),
        alert(client, "no interval", value=0.7, **below),
        alert(client, "unknown", value=None, limit=0.8),
        alert(client, "barely below", value=0.7, lower=0.6, upper=0.79, **below),
    ]
    names = [each.alert_id for each in worst_first(alerts)]
    assert names == [
        "nothing left",
        "three times",
        "half",
        "no interval",
        "barely below",
        "a little above",
        "unknown",
    ]


def test_a_lower_limit_is_missed_by_at_most(client: Client) -> None:
    evidence = alert(
        client, "low", value=0.62, lower=0.55, upper=0.68, alarm_upper=0.714, limit=0.85, unit="ratio"
    ).evidence
    assert gauge.certainty(evidence) == "at the alarm level at most 71.4 %, 0.84 × the limit"
    assert gauge.interval(evidence) == "95 % interval 55 % to 68 %, limit 85 %"
    at = gauge.gauge(evidence)
    assert at.upper is not None
    assert at.limit is not None
    assert at.upper < at.limit


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (
            calibration(state="uncalibrated", more_positives=18),
            "uncalibrated: 18 more answers in which reviewers find a fault needed",
        ),
        (calibration(), "calibrated: agreement with reviewers on faults 72 %, kappa 0.61, n = 140"),
        (
            calibration(state="uncalibrated", positive_agreement=0.41, kappa=None),
            "uncalibrated: agreement with reviewers on faults 41 %, n = 140",
        ),
    ],
    ids=["too few", "calibrated", "disagrees"],
)
def test_calibration_is_said_in_words(found: JudgeCalibration, said: str) -> None:
    assert calibration_words(found) == said


def test_a_judge_is_a_line_with_what_it_could_not_score(reader: Reader) -> None:
    judge = JudgeInfo(
        judge="<lexical>",
        version="2",
        in_use=True,
        first_seen_at=reader.now - timedelta(hours=30),
        judged=1240,
        scored_share=0.92,
        unscorable={"refusal": 71, "no_claim": 28},
        calibration=calibration(),
    )
    shown = judge_lines([judge, judge.model_copy(update={"in_use": False, "judged": 0, "scored_share": None})], reader)
    assert "&lt;lexical&gt; 2" in shown
    assert "92 % of 1240 sampled answers scored in 28 days (not: 71 refusal, 28 no claim)" in shown
    assert "replaced · no answer judged in 28 days" in shown
