from collections.abc import Callable
from datetime import datetime, timedelta

import numpy as np
import pytest

from ragvigil_monitor.guardrails.finding import HoursBeyond
from ragvigil_monitor.guardrails.models import Candidate, Evidence, Triage, TriageVerdict
from ragvigil_monitor.guardrails.onset_dating import DatedOnset, dated_onset
from ragvigil_monitor.guardrails.triage import MARKERS_JOB, MOST_VALUES, triage_verdict, triaged
from ragvigil_monitor.guardrails.triage_words import factor_words
from ragvigil_monitor.marker_kinds import MEASUREMENT
from ragvigil_monitor.signals.signal import Window
from ragvigil_monitor.store import Store

Triaged = Callable[..., tuple[list[Candidate], Triage | None]]
STEP_H = 60


@pytest.fixture
def dated(monday: datetime) -> DatedOnset:
    """A clear step 60 hours after Monday, seen for 12 hours."""
    hours = np.arange(STEP_H + 12)
    found = dated_onset(monday, HoursBeyond(np.where(hours < STEP_H, 2.0, 30.0), np.full(len(hours), 60.0)))
    assert found is not None
    return found


@pytest.fixture
def judge(memory_store: Store, monday: datetime, dated: DatedOnset) -> Triaged:
    """Triages that onset, or none, at the end of the 12 hours."""

    def run(
        *released_h: float, onset: bool = True, known_h: float | None = STEP_H + 12
    ) -> tuple[list[Candidate], Triage | None]:
        with memory_store.transaction() as writer:
            for hour in released_h:
                at = monday + timedelta(hours=hour)
                writer.execute("add_marker", kind="release", service="shop", value=f"at {hour:g}", first_seen_at=at)
            if known_h is not None:
                writer.execute("set_watermark", job=MARKERS_JOB, done_up_to=monday + timedelta(hours=known_h))
        window = Window(monday + timedelta(hours=STEP_H + 12), 6 * 3600)
        return triaged(memory_store, "faithfulness", window, dated if onset else None)

    return run


def test_a_release_at_the_onset_makes_a_regression_suspected(judge: Triaged) -> None:
    near, found = judge(1, 30, STEP_H - 0.25)
    assert found is not None
    assert found.verdict == "regression-suspected"
    assert found.sentence == (
        "Regression suspected: release shop at 59.75 (first seen 3 Jun 11:45 UTC, BF > 1000) lies at the onset."
    )
    assert [each.value for each in near] == ["at 59.75"]


def test_when_nothing_was_released_near_the_onset_drift_is_suspected(judge: Triaged) -> None:
    near, found = judge(1, 30, STEP_H + 8)
    assert near == []
    assert found is not None
    assert found.verdict == "drift-suspected"
    assert found.sentence == (
        "Drift suspected: nothing was seen for the first time from 3 Jun 09:00 UTC to 3 Jun 14:00 UTC; "
        "a return to an earlier version is not looked for."
    )


def test_a_release_beside_the_onset_leaves_it_undetermined(judge: Triaged) -> None:
    near, found = judge(1, STEP_H - 2.9)
    assert [each.value for each in near] == ["at 57.1"]
    assert near[0].bayes_factor is not None
    assert near[0].bayes_factor < 10
    assert found is not None
    assert found.verdict == "undetermined"
    assert found.sentence.startswith("Undetermined: release shop at 57.1 (first seen 3 Jun 09:06 UTC, BF 2.5)")


def test_of_several_candidates_the_most_probable_is_named_first(judge: Triaged) -> None:
    near, found = judge(1, STEP_H - 2.9, STEP_H - 0.5, STEP_H + 1.5)
    assert near[0].value == "at 59.5"
    assert found is not None
    assert found.sentence.endswith("lies at the onset (2 more lie near it).")


@pytest.mark.parametrize(
    ("guardrail", "verdict"), [("faithfulness", "measurement-change"), ("latency_p95", "regression-suspected")]
)
def test_a_new_judge_explains_the_guardrail_that_it_judges_for_and_no_other(
    memory_store: Store, judge: Triaged, monday: datetime, guardrail: str, verdict: str
) -> None:
    with memory_store.transaction() as writer:
        for hour, version in ((1, "lexical 1"), (STEP_H - 0.5, "lexical 2")):
            at = monday + timedelta(hours=hour)
            writer.execute("add_marker", kind=MEASUREMENT, service=guardrail, value=version, first_seen_at=at)
    near, found = judge(1, STEP_H - 0.25)
    assert found is not None
    assert found.verdict == verdict
    assert len(near) == (2 if guardrail == "faithfulness" else 1)
    if guardrail == "faithfulness":
        assert found.sentence.startswith("Measurement change: measurement faithfulness lexical 2 (first seen ")


@pytest.mark.parametrize("known_h", [None, STEP_H - 1], ids=["never noted", "noted until before"])
def test_where_markers_are_not_known_their_absence_says_nothing(judge: Triaged, known_h: float | None) -> None:
    _, found = judge(known_h=known_h)
    assert found is not None
    assert found.verdict == "undetermined"
    assert "is not fully known" in found.sentence


@pytest.mark.parametrize(
    ("crowded_h", "verdict"),
    [(STEP_H - 50, "drift-suspected"), (STEP_H - 30, "undetermined"), (STEP_H - 0.5, "undetermined")],
    ids=["long before", "the day before", "at the onset"],
)
def test_a_kind_with_a_new_value_all_the_time_is_no_candidate_and_not_known(
    memory_store: Store, judge: Triaged, monday: datetime, crowded_h: float, verdict: str
) -> None:
    with memory_store.transaction() as writer:
        for number in range(MOST_VALUES):
            at = monday + timedelta(hours=crowded_h, seconds=number)
            writer.execute("add_marker", kind="index", service="shop", value=f"{number}", first_seen_at=at)
    near, found = judge(1)
    assert near == []
    assert found is not None
    assert found.verdict == verdict
    near, found = judge(STEP_H - 0.25)
    assert found is not None
    assert found.verdict == "regression-suspected"


def test_without_an_onset_there_is_no_verdict_and_candidates_are_those_of_the_window(judge: Triaged) -> None:
    near, found = judge(1, STEP_H - 0.5, STEP_H + 5, STEP_H + 11, onset=False)
    assert found is None
    assert {(each.value, each.bayes_factor) for each in near} == {("at 65", None), ("at 71", None)}


@pytest.mark.parametrize(
    ("near", "is_known", "expected"),
    [
        ([], True, "drift-suspected"),
        ([], False, "undetermined"),
        ([("release", 10.0)], True, "undetermined"),
        ([("release", 10.1)], True, "regression-suspected"),
        ([("release", 10.1)], False, "regression-suspected"),
        ([("release", 500.0), (MEASUREMENT, 0.1)], True, "measurement-change"),
        ([("release", None)], True, "undetermined"),
    ],
)
def test_verdicts(near: list[tuple[str, float | None]], is_known: bool, expected: str, monday: datetime) -> None:
    candidates = [
        Candidate(kind=kind, service="shop", value="2", first_seen_at=monday, bayes_factor=factor)
        for kind, factor in near
    ]
    assert triage_verdict(candidates, is_known=is_known) == expected


@pytest.mark.parametrize(
    ("factor", "said"), [(0.04, "0.0"), (3.46, "3.5"), (34.4, "34"), (1000.0, "1000"), (1e6, "> 1000")]
)
def test_a_factor_has_two_digits_and_an_end(factor: float, said: str) -> None:
    assert factor_words(factor) == said


def test_no_verdict_speaks_of_a_cause(judge: Triaged) -> None:
    sentences = [found.sentence for _, found in (judge(1), judge(STEP_H - 2.9), judge(STEP_H - 0.5)) if found]
    assert len(sentences) == 3
    assert not any("cause" in sentence for sentence in sentences)


def test_hours_before_the_first_traffic_do_not_make_an_onset_more_certain(monday: datetime, dated: DatedOnset) -> None:
    """Otherwise a store that is a day old would know an onset five times as well."""
    empty = np.zeros(50)
    hours = np.arange(STEP_H + 12)
    counts = np.where(hours < STEP_H, 2.0, 30.0)
    later = dated_onset(
        monday - timedelta(hours=50),
        HoursBeyond(np.concatenate([empty, counts]), np.concatenate([empty, np.full(len(hours), 60.0)])),
    )
    assert later is not None
    assert later.start == monday
    at = monday + timedelta(hours=STEP_H - 3.5)
    assert later.bayes_factor(at) == pytest.approx(dated.bayes_factor(at))


def test_without_traffic_there_is_no_onset(monday: datetime) -> None:
    assert dated_onset(monday, HoursBeyond(np.zeros(5), np.zeros(5))) is None


def test_alerts_that_were_stored_before_are_still_read(monday: datetime) -> None:
    stored = (
        '{"window_start": "2026-06-01T00:00:00Z", "window_end": "2026-06-01T01:00:00Z", "value": 1.0, "lower": null,'
        ' "upper": null, "alarm_lower": null, "limit": 1.0, "unit": "ms", "n": 5, "missing": 0, "slices": [],'
        ' "trace_ids": [], "releases": [{"service": "shop", "service_version": "1.1",'
        ' "first_seen_at": "2026-06-01T00:00:00Z"}]}'
    )
    read = Evidence.model_validate_json(stored)
    assert read.triage is None
    assert read.releases == [Candidate(kind="release", service="shop", value="1.1", first_seen_at=monday)]


def test_a_triage_survives_being_stored(judge: Triaged) -> None:
    near, found = judge(1, STEP_H - 0.25)
    assert found is not None
    assert Triage.model_validate_json(found.model_dump_json()) == found
    assert [Candidate.model_validate_json(each.model_dump_json()) for each in near] == near
    assert found.verdict is TriageVerdict.REGRESSION_SUSPECTED
