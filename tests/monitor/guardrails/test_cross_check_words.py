from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from tests.samples.cross_checks import add_cross_check, cross_check

from ragvigil_monitor.drift.cross_check import AGREED, CrossCheck
from ragvigil_monitor.guardrails.cross_check_words import cross_check_note, cross_check_sentence
from ragvigil_monitor.service import Service

MakeService = Callable[..., Service]
KEPT = CrossCheck.__dataclass_fields__


def checked(monday: datetime, **values: object) -> CrossCheck:
    return CrossCheck(**{name: value for name, value in cross_check(monday, **values).items() if name in KEPT})


def test_the_note_says_by_what_how_different_and_when(monday: datetime) -> None:
    assert cross_check_note(checked(monday)) == (
        "MMD² of the day up to 2026-06-01 00:00 UTC, encoder-1 (12 numbers), by alibi-detect 0.11.4: 0.00274, "
        "builtin differs by 3e-17; p = 0.001 of 1000 permutations of its own; checked 2026-06-01 00:03 UTC."
    )


@pytest.mark.parametrize("sign", [1, -1])
def test_more_than_rounding_is_a_disagreement(monday: datetime, sign: int) -> None:
    assert "disagree" not in cross_check_note(checked(monday, difference=sign * AGREED))
    assert cross_check_note(checked(monday, difference=sign * 2e-9)).endswith(
        "builtin differs by 2e-09; p = 0.001 of 1000 permutations of its own; checked 2026-06-01 00:03 UTC. "
        "They disagree: trust neither before you know why."
    )


def test_only_windows_of_the_alert_count(make_service: MakeService, monday: datetime) -> None:
    service = make_service()
    for day in (1, 2, 3):
        add_cross_check(service.store, monday + timedelta(days=day), mmd2=day / 10)
    said = cross_check_sentence(service, monday + timedelta(days=1), monday + timedelta(days=2))
    assert said is not None
    assert ": 0.2, builtin" in said


def test_without_the_other_backend_nothing_is_said(make_service: MakeService, monday: datetime) -> None:
    assert cross_check_sentence(make_service(), monday, monday) is None


def test_with_it_a_missing_check_is_said_to_be_missing_and_why(make_service: MakeService, monday: datetime) -> None:
    service = make_service(drift={"backend": "alibi-detect"})
    assert cross_check_sentence(service, monday, monday) == "alibi-detect has not checked the MMD² yet."
    with service.store.transaction() as writer:
        writer.execute("note_job_problem", job="drift_cross_check", failed_at=monday, error="AlibiFailed: no torch")
        writer.execute("note_job_problem", job="latency_p95", failed_at=monday, error="disk full")
    assert cross_check_sentence(service, monday, monday) == "Not checked by alibi-detect: AlibiFailed: no torch"
