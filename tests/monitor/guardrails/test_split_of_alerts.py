"""What a change is made of, in the evidence of alerts on rates."""

from datetime import datetime, timedelta

import pyarrow as pa
import pytest

from ragvigil_monitor.guardrails.evidence import evidence
from ragvigil_monitor.guardrails.onset_dating import OnsetTimes
from ragvigil_monitor.guardrails.regeneration_rate import REGENERATION_GUARDRAIL
from ragvigil_monitor.guardrails.verdict import Verdict, findings, verdicts
from ragvigil_monitor.settings import Settings
from ragvigil_monitor.store import Store

HOURS = 29 * 24


@pytest.fixture
def judged(memory_store: Store, monday: datetime) -> dict[str, Verdict]:
    """Five weeks of `ask` at 5 % and, in the last six hours, as many answers of `find` at 50 %."""
    rows = []
    for hour in range(HOURS):
        found = (50, 100) if hour >= HOURS - 6 else (10, 20)
        counts = {"all": (5 + found[0], 100 + found[1]), "intent=ask": (5, 100), "intent=find": found}
        at = (monday + timedelta(hours=hour)).replace(tzinfo=None)
        rows += [
            {"signal": "regeneration_rate", "series": series, "hour": at, "events": x, "totals": n}
            for series, (x, n) in counts.items()
        ]
    with memory_store.transaction():
        memory_store._cursor().register("counted", pa.Table.from_pylist(rows))
        memory_store._cursor().execute("INSERT INTO rate_counts BY NAME SELECT * FROM counted")
    settings = Settings.load(guardrails={"regeneration_rate": {"windows_h": [6]}})
    end = monday + timedelta(hours=HOURS)
    look = findings(REGENERATION_GUARDRAIL, memory_store, settings, end, alpha=0.001, answered_before=True)
    return {each.series: each for each in verdicts(look)}


def test_an_alert_on_all_answers_says_how_much_is_mix(memory_store: Store, judged: dict[str, Verdict]) -> None:
    assert judged["all"].state == "breach"
    shown = evidence(memory_store, REGENERATION_GUARDRAIL, judged["all"], OnsetTimes())
    assert shown.split is not None
    assert shown.split.name == "intent"
    assert shown.split.before == pytest.approx(15 / 120)
    assert shown.split.after == shown.value
    assert shown.split.mix == pytest.approx(55 / 200 - 15 / 120)
    assert shown.split.rate == pytest.approx(0.0)


def test_an_alert_on_one_intent_has_nothing_to_split(memory_store: Store, judged: dict[str, Verdict]) -> None:
    shown = evidence(memory_store, REGENERATION_GUARDRAIL, judged["intent=find"], OnsetTimes())
    assert shown.split is None
