"""The faithfulness guardrail over traffic that turns bad."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from tests.samples.answered import insert_answers

from ragvigil_monitor.api.models import Alert
from ragvigil_monitor.guardrails.faithfulness import FAITHFULNESS_GUARDRAIL
from ragvigil_monitor.jobs import jobs
from ragvigil_monitor.schedule import run_due
from ragvigil_monitor.service import Service
from ragvigil_monitor.settings import Settings
from ragvigil_monitor.store import Store

MakeService = Callable[..., Service]
Alerts = Callable[[], list[Alert]]
NAMES = ("judge_scores", "faithfulness")


def run(service: Service, now: datetime) -> None:
    run_due(service, now, listed=lambda settings: [job for job in jobs(settings) if job.name in NAMES])
    assert service.store.rows("job_problems_now") == []


def state(store: Store) -> dict[str, Any]:
    (row,) = store.rows("guardrail_states_of", guardrail="faithfulness")
    return row


def test_answers_that_lose_their_evidence_raise_one_alert_that_says_what_it_must(
    memory_store: Store, make_service: MakeService, monday: datetime, alerts: Alerts
) -> None:
    insert_answers(memory_store, monday, hours=72, carried=0.97, intent="how_to")
    bad_from = monday + timedelta(hours=72)
    insert_answers(memory_store, bad_from, hours=36, carried=0.97, intent="how_to", seed=4)
    insert_answers(memory_store, bad_from, hours=36, carried=0.1, intent="policy", seed=5)
    service = make_service(judge={"share": 1.0})
    run(service, monday + timedelta(hours=110))
    (alert,) = alerts()
    assert timedelta(0) < alert.opened_at - bad_from < timedelta(hours=24)
    assert alert.sentence.startswith("faithfulness by the lexical judge 1 (uncalibrated) over the last 24 h: ")
    assert alert.sentence.endswith("lower limit 85 % (starting value).")
    shown = alert.evidence
    assert (shown.limit, shown.unit, shown.alarm_lower) == (0.85, "ratio", None)
    assert shown.value is not None
    assert shown.alarm_upper is not None
    assert shown.value < shown.alarm_upper < 0.85
    assert [(each.name, each.value) for each in shown.slices][:1] == [("intent", "policy")]
    assert ("intent", "how_to") not in [(each.name, each.value) for each in shown.slices]
    assert shown.trace_ids
    assert alert.onset_earliest is not None
    assert alert.onset_latest is not None
    assert alert.onset_earliest <= bad_from <= alert.onset_latest


def test_good_answers_are_ok(memory_store: Store, make_service: MakeService, monday: datetime, alerts: Alerts) -> None:
    insert_answers(memory_store, monday, hours=48, carried=0.98)
    run(make_service(judge={"share": 1.0}), monday + timedelta(hours=50))
    assert state(memory_store)["state"] == "ok"
    assert alerts() == []


@pytest.mark.parametrize(
    ("columns", "said", "expected"),
    [
        ({"texts": False}, "None of 72 has a usable value (judged answers)", "no_data"),
        ({"refusal": True}, "missing evidence", "no_data"),
    ],
    ids=["no texts", "only refusals"],
)
def test_answers_that_cannot_be_scored_are_missing_evidence(
    memory_store: Store, make_service: MakeService, monday: datetime, columns: dict[str, Any], said: str, expected: str
) -> None:
    insert_answers(memory_store, monday, hours=12, **columns)
    run(make_service(judge={"share": 1.0}), monday + timedelta(hours=14))
    assert state(memory_store)["state"] == expected
    assert said in state(memory_store)["sentence"]


@pytest.mark.parametrize(
    ("unscored", "columns", "expected"),
    [
        (8, {"texts": False}, "inconclusive"),
        (5, {"texts": False}, "ok"),
        (60, {"refusal": True}, "ok"),
    ],
    ids=["most", "fewer than half", "refusals claim nothing"],
)
def test_few_good_scores_do_not_speak_for_the_many_that_are_missing(
    memory_store: Store, make_service: MakeService, monday: datetime, unscored: int, columns: Any, expected: str
) -> None:
    insert_answers(memory_store, monday, hours=24)
    insert_answers(memory_store, monday, hours=24, per_hour=unscored, seed=4, **columns)
    run(make_service(judge={"share": 1.0}), monday + timedelta(hours=26))
    assert state(memory_store)["state"] == expected
    said = " Only 144 of 336 answers, refusals and those without a claim aside, could be scored."
    assert (said in state(memory_store)["sentence"]) == (expected == "inconclusive")


def test_a_breach_is_not_withheld_because_scores_are_missing(
    memory_store: Store, make_service: MakeService, monday: datetime
) -> None:
    insert_answers(memory_store, monday, hours=24, carried=0.2)
    insert_answers(memory_store, monday, hours=24, per_hour=8, seed=4, texts=False)
    run(make_service(judge={"share": 1.0}), monday + timedelta(hours=26))
    assert state(memory_store)["state"] == "breach"
    assert "Only 144 of 336 answers, " in state(memory_store)["sentence"]


def test_too_few_scores_are_no_verdict(memory_store: Store, make_service: MakeService, monday: datetime) -> None:
    insert_answers(memory_store, monday, hours=3, carried=1.0)
    run(make_service(judge={"share": 1.0}), monday + timedelta(hours=5))
    assert state(memory_store)["state"] == "no_power"
    assert "A verdict needs 12 more judged answers." in state(memory_store)["sentence"]


def test_before_the_first_answer_it_says_so() -> None:
    (sentence,) = FAITHFULNESS_GUARDRAIL.waiting(Settings.load()).values()
    assert sentence == (
        "No answer has arrived yet; faithfulness by the lexical judge 1 (uncalibrated) has the lower limit 85 % "
        "(starting value)."
    )


def test_both_windows_of_one_side_spend_the_budget() -> None:
    assert FAITHFULNESS_GUARDRAIL.chances(Settings.load()) == 1
    assert FAITHFULNESS_GUARDRAIL.windows_s(Settings.load()) == [86400, 604800]
