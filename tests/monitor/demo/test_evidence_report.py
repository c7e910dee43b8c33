from typing import Any

import pytest
from tests.samples.demo_reports import NO_LOSSES, evidence, series

from ragvigil_monitor.api.exclusion_models import ExclusionSeries
from ragvigil_monitor.demo.evidence_report import EvidenceReport
from ragvigil_monitor.demo.reviewer import Reviews
from ragvigil_monitor.demo.truth import TrueRate


def test_a_true_rate_inside_the_wide_interval_is_no_failure() -> None:
    assert evidence().failures() == []


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"n": 299}, "Only 299 filtered queries with evidence were reviewed, not 300."),
        (
            {"true": TrueRate(1000, 400)},
            "The true rate of false exclusion, 40.0%, is outside the interval 5.0% to 20.0%.",
        ),
        ({"true": TrueRate(0, 0)}, "The true rate of false exclusion, unknown, is outside the interval 5.0% to 20.0%."),
        ({"lower": None}, "The true rate of false exclusion, 10.0%, is outside the interval unknown to 20.0%."),
    ],
    ids=["too few", "outside", "no truth", "no estimate"],
)
def test_a_run_that_shows_nothing_fails_with_the_reason(changed: dict[str, Any], sentence: str) -> None:
    assert evidence(**changed).failures() == [sentence]


def test_json_holds_truth_estimate_and_both_intervals() -> None:
    said = evidence().as_json()
    assert said["reviews"] == {"served": 700, "labelled": 699}
    assert said["false_exclusion"] == {
        "true_rate": 0.1,
        "estimate": 0.11,
        "lower": 0.07,
        "upper": 0.15,
        "lower_999": 0.05,
        "upper_999": 0.2,
        "n": 400,
    }
    assert said["lost_at_stage"] == {"filter": 40, "kept": 300}


def test_the_summary_names_truth_estimate_and_where_evidence_was_lost() -> None:
    said = evidence().summary()
    assert "699 of 700 reviews labelled" in said
    assert "estimated 11.0% (7.0% to 15.0%, 400 reviewed), true 10.0%" in said
    assert said.endswith("Evidence was lost at: filter 40.")


def test_an_estimate_that_is_missing_is_unknown_and_not_zero() -> None:
    nothing: ExclusionSeries = series(value=None, lower=None, upper=None, n=0)
    report = EvidenceReport(Reviews(), TrueRate(0, 0), nothing, nothing, NO_LOSSES)
    assert "estimated unknown (unknown to unknown, 0 reviewed), true unknown" in report.summary()
    assert report.as_json()["false_exclusion"]["estimate"] is None
