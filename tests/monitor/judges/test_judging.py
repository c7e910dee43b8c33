"""Which answers are judged, once each, and what is kept of them."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pytest
from tests.samples.answered import CARRIED, DOCUMENTS, HALF, insert_answers
from tests.samples.fresh_stores import fresh_store
from tests.samples.reviews import add_exchange
from tests.samples.traffic import Traffic

from ragvigil_monitor.judges.judging import JUDGE, share_of_hour
from ragvigil_monitor.judges.lexical import Lexical
from ragvigil_monitor.review.drawing import DRAW
from ragvigil_monitor.schedule import run_due
from ragvigil_monitor.service import Service
from ragvigil_monitor.settings import JudgeSettings
from ragvigil_monitor.store import Store

MakeService = Callable[..., Service]
ALL = {"share": 1.0}
SALT = {"salt": "x" * 16}


def run(service: Service, now: datetime, *, review: bool = False) -> None:
    run_due(service, now, listed=lambda _settings: [DRAW, JUDGE] if review else [JUDGE])
    assert service.store.rows("job_problems_now") == []


def scores(store: Store) -> list[dict[str, Any]]:
    cursor = store._cursor().execute("SELECT * FROM judge_scores ORDER BY started_at, in_sample")
    assert cursor.description
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def add(store: Store, at: datetime, answer: str | None, texts: list[str], **columns: Any) -> None:
    sent = Traffic(slow_from=at)
    add_exchange(sent, np.random.default_rng(int(at.timestamp())), at, "?", answer, texts, **columns)
    sent.insert(store)


@pytest.mark.parametrize(
    ("answer", "texts", "refusal", "expected"),
    [
        (CARRIED, DOCUMENTS, False, (1.0, None)),
        (HALF, DOCUMENTS, None, (0.5, None)),
        (CARRIED, DOCUMENTS, True, (None, "refusal")),
        (None, DOCUMENTS, False, (None, "no_answer_text")),
        (CARRIED, [], False, (0.0, None)),
        ("Which shoes?", [], False, (None, "no_claim")),
        (CARRIED, ["word " * 90_000] * 12, False, (None, "too_long")),
        (CARRIED, ["word " * 250_000], False, (None, "too_long")),
        (CARRIED, ["word " * 30_000 + DOCUMENTS[0], DOCUMENTS[1]], False, (1.0, None)),
        (CARRIED, ["Something else."] * 120 + DOCUMENTS, False, (1.0, None)),
        (CARRIED + " Keep the box." * 8000, DOCUMENTS, False, (None, "too_long")),
        ("Which shoes?", DOCUMENTS, False, (None, "no_claim")),
    ],
    ids=[
        "carried",
        "half",
        "refusal",
        "no answer",
        "no evidence",
        "no need of it",
        "long evidence",
        "one long document",
        "at the end of a long document",
        "many documents",
        "long answer",
        "no claim",
    ],
)
def test_an_answer_gets_a_score_or_the_reason_why_not(
    memory_store: Store,
    make_service: MakeService,
    monday: datetime,
    answer: str | None,
    texts: list[str],
    refusal: bool | None,
    expected: tuple[float | None, str | None],
) -> None:
    add(memory_store, monday + timedelta(minutes=5), answer, texts, refusal=refusal)
    run(make_service(judge=ALL), monday + timedelta(hours=3))
    (row,) = scores(memory_store)
    assert (row["score"], row["reason"]) == expected
    assert (row["judge"], row["judge_version"]) == ("lexical", "1")


@pytest.mark.parametrize(
    ("lost", "reason"), [("attributes", "no_document_texts"), ("output_documents", "no_documents")]
)
def test_evidence_that_was_not_recorded_makes_an_answer_unscorable(
    memory_store: Store, make_service: MakeService, monday: datetime, lost: str, reason: str
) -> None:
    sent = insert_answers(memory_store, monday, hours=0)
    add_exchange(sent, np.random.default_rng(1), monday + timedelta(minutes=1), "?", CARRIED, DOCUMENTS)
    for span in sent.spans:
        span[lost] = None
    sent.insert(memory_store)
    run(make_service(judge=ALL), monday + timedelta(hours=3))
    assert [row["reason"] for row in scores(memory_store)] == [reason]


def test_an_answer_is_judged_an_hour_after_its_hour_and_once(
    memory_store: Store, make_service: MakeService, monday: datetime
) -> None:
    insert_answers(memory_store, monday, hours=4)
    service = make_service(judge=ALL, schedule={"lateness_s": 0})
    counted = []
    for hours in (1.9, 2, 2.5, 3, 6, 9):
        run(service, monday + timedelta(hours=hours))
        counted.append(len(scores(memory_store)))
    assert counted == [0, 6, 6, 12, 24, 24]
    assert {row["inclusion_probability"] for row in scores(memory_store)} == {1.0}


@pytest.mark.parametrize("late_h", [2.5, 7, 22])
def test_an_answer_that_arrives_late_is_judged_once_all_the_same(
    memory_store: Store, make_service: MakeService, monday: datetime, late_h: float
) -> None:
    service = make_service(judge=ALL)
    insert_answers(memory_store, monday, hours=48)
    run(service, monday + timedelta(hours=10 + late_h))
    add(memory_store, monday + timedelta(hours=10), CARRIED, DOCUMENTS)
    for hours in range(10, 60, 7):
        run(service, monday + timedelta(hours=late_h + hours))
    assert len(scores(memory_store)) == len({row["trace_id"] for row in scores(memory_store)}) == 48 * 6 + 1
    assert {row["in_sample"] for row in scores(memory_store)} == {True}


def test_a_late_answer_does_not_date_a_new_judge_back(
    memory_store: Store, make_service: MakeService, monday: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    insert_answers(memory_store, monday, hours=24)
    service = make_service(judge=ALL)
    run(service, monday + timedelta(hours=12.5))
    add(memory_store, monday + timedelta(hours=6), CARRIED, DOCUMENTS)
    monkeypatch.setattr(Lexical, "version", "2")
    run(service, monday + timedelta(hours=14.5))
    run(service, monday + timedelta(hours=24))
    (marker,) = memory_store.rows("markers_between", earliest=monday, latest=monday + timedelta(days=3))
    assert marker["value"] == "lexical 2"
    assert marker["first_seen_at"] > monday + timedelta(hours=11)
    assert min(row["started_at"] for row in scores(memory_store) if row["judge_version"] == "2").hour == 6


def test_the_share_that_is_drawn_is_the_configured_one_and_does_not_depend_on_when_the_job_runs(
    memory_store: Store, make_service: MakeService, monday: datetime
) -> None:
    insert_answers(memory_store, monday, hours=72, per_hour=50, sampling_probability=0.5)
    settings = {"judge": {"share": 0.1, "minimum_per_week": 0}, "review": SALT}
    run(make_service(**settings), monday + timedelta(hours=80))
    found = scores(memory_store)
    assert 300 <= len(found) <= 420
    assert {row["inclusion_probability"] for row in found} == {0.05}
    other = fresh_store()
    insert_answers(other, monday, hours=72, per_hour=50, sampling_probability=0.5)
    stepwise = make_service(store=other, **settings)
    for hours in range(0, 81, 5):
        run(stepwise, monday + timedelta(hours=hours))
    drawn = [[row["trace_id"] for row in rows] for rows in (found, scores(other))]
    assert drawn[0] == drawn[1]
    other.close()


@pytest.mark.parametrize(
    ("weekly", "hourly", "expected"),
    [(10**6, 6000, 0.1), (0, 0, 1.0), (100, 1, 1.0), (1000, 6, 0.335), (10**8, 10**6, 0.001)],
    ids=["usual", "none", "little", "low", "high"],
)
def test_the_share_follows_the_traffic(weekly: float, hourly: int, expected: float) -> None:
    assert share_of_hour(JudgeSettings(), weekly, hourly) == pytest.approx(expected, abs=0.001)


def test_what_people_review_is_judged_but_is_no_part_of_the_sample(
    memory_store: Store, make_service: MakeService, monday: datetime
) -> None:
    insert_answers(memory_store, monday, hours=24, per_hour=20, confidence=0.1)
    settings = {"uniform_share": 0.001, "minimum_per_week": 0, "low_confidence_share": 0.3, **SALT}
    service = make_service(judge={"share": 0.1, "minimum_per_week": 0}, review=settings)
    for hours in (12, 30, 60):
        run(service, monday + timedelta(hours=hours), review=True)
    found = scores(memory_store)
    besides = [row for row in found if not row["in_sample"]]
    assert len({row["trace_id"] for row in found}) == len(found)
    assert 80 <= len(besides) <= 200
    assert all(row["inclusion_probability"] is None for row in besides)
    assert len(
        memory_store.columns("scores_of_answers", window_start=monday, window_end=monday + timedelta(days=2))["value"]
    ) == len(found) - len(besides)


def test_a_new_judge_that_has_only_read_what_is_reviewed_has_measured_nothing(
    memory_store: Store, make_service: MakeService, monday: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    insert_answers(memory_store, monday, hours=24)
    service = make_service(judge=ALL, review={"uniform_share": 0.5, **SALT})
    run(service, monday + timedelta(hours=60), review=True)
    monkeypatch.setattr(Lexical, "version", "2")
    run(service, monday + timedelta(hours=62), review=True)
    assert {(row["judge_version"], row["in_sample"]) for row in scores(memory_store)} == {("1", True), ("2", False)}
    assert memory_store.rows("markers_between", earliest=monday, latest=monday + timedelta(days=3)) == []


def test_all_at_once_judges_the_same_as_hour_by_hour(
    memory_store: Store, make_service: MakeService, monday: datetime
) -> None:
    """A sampled answer is in the sample although its review was drawn before the judge came to it."""
    stores = [memory_store, fresh_store()]
    for store, steps in zip(stores, ([60], range(61)), strict=True):
        insert_answers(store, monday, hours=24, per_hour=20)
        service = make_service(store=store, judge={"share": 0.3}, review={"uniform_share": 0.5, **SALT})
        for hours in steps:
            run(service, monday + timedelta(hours=hours), review=True)
    once, hourly = ([(row["trace_id"], row["in_sample"], row["score"]) for row in scores(store)] for store in stores)
    assert once == hourly
    stores[1].close()
