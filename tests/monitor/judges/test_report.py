"""What is known of judges, from labels that people really gave."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa
import pytest
from tests.samples.answered import insert_answers
from tests.samples.fresh_stores import fresh_store
from tests.samples.servers import running_service
from tests.samples.world import running_world

from ragvigil_monitor.guardrails.faithfulness import FAITHFULNESS_GUARDRAIL
from ragvigil_monitor.judges.calibration import calibration_of
from ragvigil_monitor.judges.judging import _SCORES, JUDGE
from ragvigil_monitor.judges.report import judge_reports
from ragvigil_monitor.judges.waiting_reviews import add_scores
from ragvigil_monitor.keys import Keys
from ragvigil_monitor.review import queue
from ragvigil_monitor.review.drawing import DRAW
from ragvigil_monitor.review.labels import Label
from ragvigil_monitor.schedule import run_due
from ragvigil_monitor.service import Service
from ragvigil_monitor.settings import Settings
from ragvigil_monitor.signals.signal import Look, Window
from ragvigil_monitor.store import Store

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
START = NOW - timedelta(hours=72)


@contextmanager
def judged_service(store: Store) -> Iterator[Service]:
    """Two days of answers of which half are invented; all are judged and drawn for review."""
    insert_answers(store, START, hours=40, per_hour=2, carried=0.5)
    insert_answers(store, START, hours=10, per_hour=1, refusal=True, seed=9)
    judge, review = {"share": 1.0}, {"uniform_share": 1.0, "salt": "x" * 16, "second_label_share": 0.0}
    with running_service(store, Keys.generate(), lambda: NOW, judge=judge, review=review) as made:
        run_due(made, NOW, listed=lambda _settings: [DRAW, JUDGE])
        yield made


@pytest.fixture
def service(memory_store: Store) -> Iterator[Service]:
    with judged_service(memory_store) as made:
        yield made


def label_all(service: Service, *, at: datetime, right: bool = True) -> int:
    """A reviewer who sees what is invented, or (not `right`) takes it the wrong way round."""
    store, given = service.store, 0
    while (lease := queue.lease_next(store, service.settings.review, "ada", resume=False, now=at)) is not None:
        is_carried = "Gift cards" not in (lease.content.answer or "")
        label = Label.SUPPORTED if is_carried == right else Label.UNSUPPORTED
        queue.label(store, lease.item_id, lease.lease_id, "ada", label, label_id=str(uuid.uuid4()), now=at)
        given += 1
    return given


def add_version(store: Store, version: str, at: datetime, *, in_sample: bool = True) -> None:
    row = {
        "trace_id": uuid.uuid4().bytes,
        "answer_span_id": b"answer00",
        "started_at": at.replace(tzinfo=None),
        "judge": "lexical",
        "judge_version": version,
        "score": 0.5,
        "in_sample": in_sample,
        "judged_at": at.replace(tzinfo=None),
    }
    with store.transaction() as writer:
        writer.execute_with("add_judge_scores", pa.Table.from_pylist([row]))


@pytest.fixture(scope="module")
def labelled() -> Iterator[Service]:
    """The same, labelled by somebody who sees what is invented; for reading only."""
    with judged_service(fresh_store()) as made:
        assert label_all(made, at=NOW) >= 60
        yield made


def reports(service: Service) -> list[Any]:
    return judge_reports(service.store, service.settings, 28, NOW)


def test_an_answer_that_is_judged_for_its_review_and_then_for_the_sample_counts_once(service: Service) -> None:
    label_all(service, at=NOW)
    asked: dict[str, Any] = {"judge": "lexical", "version": "1", "cut": 0.85, "known_before": NOW + timedelta(hours=1)}
    once = calibration_of(service.store, **asked)
    with service.store.stream("FROM judge_scores", 10_000) as reader:
        scores = reader.read_all().to_pylist()
    again = [
        {**row, "in_sample": False, "score": 0.5, "judged_at": row["judged_at"] + timedelta(hours=1)} for row in scores
    ]
    with service.store.transaction() as writer:
        add_scores(writer, pa.Table.from_pylist(again, _SCORES), [START, NOW])
    assert once.pairs > 0
    assert calibration_of(service.store, **asked) == once


def test_without_labels_the_share_and_the_reasons_are_known_and_nothing_is_trusted(service: Service) -> None:
    (found,) = reports(service)
    assert (found.judge, found.version, found.in_use, found.judged) == ("lexical", "1", True, 90)
    assert found.unscorable == {"refusal": 10}
    assert found.scored_share == pytest.approx(80 / 90)
    assert found.first_seen_at is not None
    assert (found.calibration.state, found.calibration.more_positives) == ("uncalibrated", 30)


def test_labels_of_people_calibrate_the_judge_from_when_they_were_given(labelled: Service) -> None:
    before = calibration_of(labelled.store, "lexical", "1", cut=0.85, known_before=NOW)
    after = calibration_of(labelled.store, "lexical", "1", cut=0.85, known_before=NOW + timedelta(seconds=1))
    assert before.pairs == 0
    assert (after.state, after.kappa, after.positive_agreement) == ("calibrated", 1.0, 1.0)
    assert calibration_of(labelled.store, "lexical", "2", cut=0.85, known_before=NOW + timedelta(days=1)).pairs == 0


def test_people_who_say_the_opposite_do_not_calibrate_it(service: Service) -> None:
    label_all(service, at=NOW, right=False)
    found = calibration_of(service.store, "lexical", "1", cut=0.85, known_before=NOW + timedelta(days=1))
    assert (found.state, found.more_positives, found.positive_agreement) == ("uncalibrated", 0, 0.0)


def test_a_replaced_version_is_listed_after_the_one_in_use(service: Service) -> None:
    add_version(service.store, "0.9", START - timedelta(days=1))
    add_version(service.store, "0.1", START - timedelta(days=60))
    assert [(each.version, each.in_use) for each in reports(service)] == [("1", True), ("0.9", False)]


def test_a_change_of_version_is_a_fact_with_a_time(memory_store: Store) -> None:
    for version, hours in (("1", 0), ("1", 5), ("2", 6), ("1", 7), ("3", 20)):
        add_version(memory_store, version, START + timedelta(hours=hours))
    add_version(memory_store, "4", START + timedelta(hours=6), in_sample=False)

    def changes(start_h: float, end_h: float) -> list[tuple[str, float, str | None]]:
        window = {"start": START + timedelta(hours=start_h), "end": START + timedelta(hours=end_h)}
        rows = memory_store.rows("judge_versions_between", **window)
        hours = timedelta(hours=1)
        return [(row["judge_version"], (row["first_seen_at"] - START) / hours, row["replaced"]) for row in rows]

    assert changes(0, 20) == [("1", 0, None), ("2", 6, "lexical 1")]
    assert changes(1, 21) == [("2", 6, "lexical 1"), ("3", 20, "lexical 2")]
    assert changes(6.5, 20) == []


def test_the_api_says_the_same_to_the_person_on_call(labelled: Service) -> None:
    with running_world(labelled.store, NOW + timedelta(seconds=1)) as world:
        (found,) = world.get("/judges")
        assert world.get("/judges", days=1)[0]["scored_share"] is None
        assert world.refusal("/judges", days=0)[0] == 422
    assert (found["judge"], found["judged"], found["unscorable"]) == ("lexical", 90, {"refusal": 10})
    assert found["calibration"] == {
        "state": "calibrated",
        "cut": 0.85,
        "pairs": found["calibration"]["pairs"],
        "positives": found["calibration"]["positives"],
        "more_positives": 0,
        "kappa": 1.0,
        "positive_agreement": 1.0,
        "unscorable": found["calibration"]["unscorable"],
    }


def test_the_sentence_of_the_guardrail_says_calibrated_then(labelled: Service) -> None:
    look = Look(labelled.store, Window(NOW, 7 * 86400), Settings.load(), alpha=0.001)
    later = replace(look, window=Window(NOW + timedelta(hours=1), 7 * 86400))
    said = [FAITHFULNESS_GUARDRAIL.findings(each, answered_before=True)[0].sentence for each in (look, later)]
    assert "(uncalibrated)" in said[0]
    assert "(calibrated)" in said[1]
