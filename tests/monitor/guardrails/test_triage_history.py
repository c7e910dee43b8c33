"""A triage is judged again while its alert is fresh, and what it said before stays beside it."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pytest

from ragvigil_monitor.api.models import Alert
from ragvigil_monitor.guardrails.models import Evidence, Triage, TriageNote, TriageVerdict
from ragvigil_monitor.guardrails.triage_history import MOST_KEPT, TriageHistory
from ragvigil_monitor.service import Service
from ragvigil_monitor.store import Store

Noted = Callable[..., list[TriageNote]]
DRIFT, REGRESSION, UNDETERMINED = (
    TriageVerdict.DRIFT_SUSPECTED,
    TriageVerdict.REGRESSION_SUSPECTED,
    TriageVerdict.UNDETERMINED,
)
RELEASED_H = 60.0
SEED = 11
"""Of twelve seeds the only one whose onset is not sure when the alert opens."""


@pytest.fixture
def noted(memory_store: Store, monday: datetime) -> Noted:
    """The notes of one alert after looks, hour by hour, that gave these verdicts."""
    history = TriageHistory(memory_store)

    def look(*verdicts: TriageVerdict | None) -> list[TriageNote]:
        notes: list[TriageNote] = []
        for hour, verdict in enumerate(verdicts):
            at = monday + timedelta(hours=hour)
            notes = history.noted("a", evidence_of(verdict, at), at).triages
        return notes

    return look


def evidence_of(verdict: TriageVerdict | None, at: datetime) -> Evidence:
    triage = verdict and Triage(verdict=verdict, sentence=f"{verdict} {at:%H}", searched_from=at, searched_until=at)
    return Evidence(
        window_start=at,
        window_end=at,
        value=1.0,
        lower=None,
        upper=None,
        alarm_lower=None,
        limit=None,
        unit="ratio",
        n=1,
        missing=0,
        slices=[],
        trace_ids=[],
        releases=[],
        triage=triage,
    )


def test_each_verdict_is_noted_when_it_is_first_given(noted: Noted, monday: datetime) -> None:
    notes = noted(None, UNDETERMINED, UNDETERMINED, None, UNDETERMINED, REGRESSION, REGRESSION, UNDETERMINED)
    assert [(note.verdict, note.judged_at - monday) for note in notes] == [
        (UNDETERMINED, timedelta(hours=1)),
        (REGRESSION, timedelta(hours=5)),
        (UNDETERMINED, timedelta(hours=7)),
    ]
    assert notes[1].sentence == "regression-suspected 05"


def test_without_an_onset_nothing_is_noted(noted: Noted) -> None:
    assert noted(None, None) == []


def test_a_verdict_that_changes_all_the_time_keeps_its_first_and_its_newest_notes(noted: Noted) -> None:
    notes = noted(UNDETERMINED, *[DRIFT, REGRESSION] * MOST_KEPT)
    assert len(notes) == MOST_KEPT
    assert notes[0].verdict is UNDETERMINED
    assert [note.verdict for note in notes[-2:]] == [DRIFT, REGRESSION]
    assert notes[-1].sentence.startswith("regression-suspected")
    assert sorted(notes, key=lambda note: note.judged_at) == notes


def test_evidence_that_was_stored_before_has_no_notes(monday: datetime) -> None:
    stored = evidence_of(DRIFT, monday).model_dump(mode="json")
    del stored["triages"]
    assert Evidence.model_validate(stored).triages == []


@pytest.fixture
def slowing(add_answers: Callable[..., None]) -> Callable[[int], None]:
    """A release after which 13 % of the reranks are slow, not 3 %; of few answers, so that the onset is not sure."""

    def add(seed: int) -> None:
        rng = np.random.default_rng(seed)
        after_h = np.sort(rng.uniform(0, 130, 130 * 15))
        new = after_h >= RELEASED_H
        slow = rng.random(len(after_h)) < np.where(new, 0.13, 0.03)
        rerank = np.where(slow, 600.0, 90.0)
        for version, chosen in (("1.0", ~new), ("1.1", new)):
            add_answers(after_h[chosen], rerank[chosen], stages={"rerank": rerank[chosen]}, version=version)

    return add


def test_what_is_undetermined_at_first_is_judged_again_with_more_data_and_both_are_kept(
    make_service: Callable[..., Service],
    hourly_settings: dict[str, Any],
    slowing: Callable[[int], None],
    judge_until: Callable[[Service, float], dict[str, int]],
    alerts: Callable[[], list[Alert]],
    monday: datetime,
) -> None:
    hourly_settings["guardrails"]["latency_p95"] |= {"slo_ms": {"rerank": 300}, "windows_h": [24]}
    service = make_service(**hourly_settings)
    slowing(SEED)
    for hour in (73, 74, 76, 82, 88):
        judge_until(service, hour)
    (alert,) = alerts()
    notes = alert.evidence.triages
    assert [note.verdict for note in notes] == [UNDETERMINED, REGRESSION]
    assert alert.opened_at <= notes[0].judged_at < notes[1].judged_at <= alert.opened_at + timedelta(hours=72)
    assert alert.evidence.triage is not None
    assert alert.evidence.triage.verdict is REGRESSION
    assert "release shop 1.1" in alert.evidence.triage.sentence


def test_a_run_that_catches_up_keeps_the_first_verdict_too(
    make_service: Callable[..., Service],
    hourly_settings: dict[str, Any],
    slowing: Callable[[int], None],
    judge_until: Callable[[Service, float], dict[str, int]],
    alerts: Callable[[], list[Alert]],
) -> None:
    hourly_settings["guardrails"]["latency_p95"] |= {"slo_ms": {"rerank": 300}, "windows_h": [24]}
    service = make_service(**hourly_settings)
    slowing(SEED)
    judge_until(service, 88)
    (alert,) = alerts()
    assert [note.verdict for note in alert.evidence.triages] == [UNDETERMINED, REGRESSION]
    assert alert.evidence.triages[0].judged_at == alert.opened_at
