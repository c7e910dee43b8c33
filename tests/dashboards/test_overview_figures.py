"""The overview: headline, vital signs, alert cards, the table of guardrails."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from ragvigil_dashboards.client import Client
from ragvigil_dashboards.figures import gauge
from ragvigil_dashboards.figures.alert_card import card, worst_first
from ragvigil_dashboards.figures.alert_evidence import since
from ragvigil_dashboards.figures.guardrail_table import guardrail_table
from ragvigil_dashboards.figures.reader import Reader
from ragvigil_dashboards.figures.resolved_table import recently_resolved, resolved_table
from ragvigil_dashboards.figures.states import ALERT, GUARDRAIL, look, pill
from ragvigil_dashboards.figures.verdict import headline, total_share, trouble_words, vital_signs
from ragvigil_dashboards.models import Alert, Candidate, Completeness, Evidence, GuardrailState, MonitorProblem, Status

HOUR = timedelta(hours=1)


@pytest.fixture
def status(client: Client) -> Status:
    return client.status()


@pytest.fixture
def firing(status: Status) -> Alert:
    return next(alert for alert in status.alerts if alert.state == "firing")


def process(**values: object) -> Completeness:
    nothing = dict.fromkeys(Completeness.model_fields)
    return Completeness.model_validate({**nothing, "service": "shop", "stored": 0, **values})


@pytest.mark.parametrize(
    ("states", "guardrails", "said"),
    [
        (["firing"], ["breach"], "▲</span> 1 alert firing"),
        (["firing", "firing"], ["breach"], "▲</span> 2 alerts firing"),
        (["firing", "silenced"], ["breach"], "1 alert firing, 1 handled"),
        (["acknowledged"], ["breach"], "1 alert open, somebody is on it"),
        (["acknowledged", "silenced"], ["breach"], "2 alerts open, all handled"),
        ([], ["ok", "no_data"], "No alert, but 1 guardrail without data"),
        ([], ["ok", "warming_up"], "✓</span> Nothing is firing"),
        ([], [], "Nothing judged yet"),
    ],
)
def test_the_headline_says_what_is_wrong(
    status: Status, firing: Alert, states: list[str], guardrails: list[str], said: str
) -> None:
    changed = status.model_copy(
        update={
            "alerts": [firing.model_copy(update={"state": state}) for state in states],
            "guardrails": [status.guardrails[0].model_copy(update={"state": state}) for state in guardrails],
        }
    )
    assert said in headline(changed)


def test_a_monitor_with_a_problem_never_looks_healthy(status: Status, reader: Reader) -> None:
    trouble = MonitorProblem(part="job x", since=reader.now, detail="")
    quiet = status.model_copy(update={"alerts": [], "problems": [trouble]})
    assert "No alert, but the monitor has a problem" in headline(quiet)


def test_freshness_counts_from_the_reader_and_warns_when_it_is_stale(status: Status) -> None:
    assert status.last_answer_at is not None
    fresh = Reader(status.last_answer_at + timedelta(seconds=12), ZoneInfo("UTC"))
    stale = Reader(status.last_answer_at + timedelta(hours=3), ZoneInfo("UTC"))
    assert "<b>12 s ago</b>" in vital_signs(status, [], fresh)
    assert '<b class="warn">3 h ago</b>' in vital_signs(status, [], stale)


def test_no_answer_ever_is_said_as_such(status: Status, reader: Reader) -> None:
    never = status.model_copy(update={"last_answer_at": None})
    assert '<b class="warn">never</b><span>last answer</span>' in vital_signs(never, [], reader)


def test_the_budget_is_shown_with_its_looks(status: Status, reader: Reader) -> None:
    assert f"≤ 1 a week</b><span>false alarms allowed, {status.budget.looks_per_week} looks" in vital_signs(
        status, [], reader
    )


def test_completeness_weighs_processes_by_what_they_began() -> None:
    assert total_share([process(started=90, stored=90), process(started=10, stored=0)]) == 0.9
    assert total_share([process(started=10, stored=12)]) == 1.0


@pytest.mark.parametrize("processes", [[], [process()], [process(started=0)]], ids=["none", "silent", "idle"])
def test_without_reports_completeness_is_not_reported_rather_than_zero(
    status: Status, reader: Reader, processes: list[Completeness]
) -> None:
    assert total_share(processes) is None
    assert "not reported" in vital_signs(status, processes, reader)


def test_losses_stand_out(status: Status, reader: Reader) -> None:
    assert '<b class="warn"><a href="completeness">90 %</a>' in vital_signs(
        status, [process(started=10, stored=9)], reader
    )


def test_a_problem_of_the_monitor_is_one_sentence(reader: Reader) -> None:
    trouble = MonitorProblem(part="job latency_p95", since=reader.now - HOUR, detail="disk full")
    assert trouble_words(trouble, reader) == "The monitor itself has a problem since 02:00: job latency_p95: disk full"


def test_alerts_are_ordered_by_state_then_by_how_far_above_the_limit(firing: Alert) -> None:
    def alert(name: str, state: str, lower: float | None) -> Alert:
        evidence = firing.evidence.model_copy(update={"lower": lower, "value": lower, "limit": 100.0})
        return firing.model_copy(update={"alert_id": name, "state": state, "evidence": evidence})

    shuffled = [
        alert("silenced", "silenced", 900.0),
        alert("unknown state", "odd", 500.0),
        alert("above", "firing", 150.0),
        alert("no bound", "firing", None),
        alert("far above", "firing", 400.0),
    ]
    ordered = [each.alert_id for each in worst_first(shuffled)]
    assert ordered == ["far above", "above", "no bound", "unknown state", "silenced"]


def test_a_card_answers_the_five_questions(firing: Alert, reader: Reader) -> None:
    shown = card(firing, reader)
    assert firing.sentence in shown
    for question in ("Since", "How sure", "Where", "What was new", "Traces"):
        assert f"<dt>{question}</dt>" in shown
    assert "at the alarm level at least 790 ms, 1.98 × the limit" in shown
    assert "service version 1.5.0</bdi></b> 1046 ms, n = 48" in shown
    assert "inside the onset interval" in shown
    assert f'href="answer?trace_id={firing.evidence.trace_ids[0]}"' in shown


def test_a_check_by_another_implementation_stands_on_the_card_as_inert_text(firing: Alert, reader: Reader) -> None:
    assert "Checked" not in card(firing, reader)
    checked = firing.model_copy(update={"cross_check": "MMD² by alibi-detect 0.11.4: <b>0.1</b>"})
    shown = card(checked, reader)
    assert "<dt>Checked</dt><dd><span>MMD² by alibi-detect 0.11.4: &lt;b&gt;0.1&lt;/b&gt;</span></dd>" in shown


@pytest.mark.parametrize(
    ("after_onset_min", "said"),
    [
        (-90, "1 h 30 min before the onset"),
        (-60, "inside the onset interval"),
        (20, "inside the onset interval"),
        (61, "1 h 1 min after the onset"),
    ],
)
def test_a_release_is_placed_beside_the_onset(firing: Alert, reader: Reader, after_onset_min: int, said: str) -> None:
    onset = reader.now - 9 * HOUR
    at = onset + timedelta(minutes=after_onset_min)
    seen = Candidate(kind="release", service="shop", value="2", first_seen_at=at, bayes_factor=None)
    evidence = firing.evidence.model_copy(update={"releases": [seen]})
    times = {"onset_at": onset, "onset_earliest": onset - HOUR, "onset_latest": onset + HOUR}
    assert said in card(firing.model_copy(update={"evidence": evidence, **times}), reader)


def test_a_card_without_evidence_says_so(firing: Alert, reader: Reader) -> None:
    bare = firing.evidence.model_copy(
        update={"slices": [], "trace_ids": [], "releases": [], "lower": None, "upper": None, "alarm_lower": None}
    )
    shown = card(firing.model_copy(update={"evidence": bare}), reader)
    for said in (
        "no slice stands out",
        "nothing was seen for the first time near the onset",
        "none kept",
        "no bound at the alarm level",
    ):
        assert said in shown


def test_other_series_in_breach_are_named(firing: Alert, reader: Reader) -> None:
    evidence = firing.evidence.model_copy(update={"also_in_breach": ["answer", "generate"]})
    assert "also in breach: whole answer, generate" in card(firing.model_copy(update={"evidence": evidence}), reader)


def test_who_acknowledged_stands_on_the_card(status: Status, reader: Reader) -> None:
    acknowledged = next(alert for alert in status.alerts if alert.state == "acknowledged")
    assert "Mina</bdi>" in card(acknowledged, reader)
    assert "longer prompts since Friday, rolling back" in card(acknowledged, reader)


def test_a_silenced_alert_says_until_when(firing: Alert, reader: Reader) -> None:
    silenced = firing.model_copy(update={"state": "silenced", "silenced_until": reader.now + 4 * HOUR})
    assert "no notifications until" in card(silenced, reader)
    assert ">07:00</time>" in card(silenced, reader)


def test_slices_of_a_part_of_the_traffic_say_so(firing: Alert, reader: Reader) -> None:
    assert "among filtered" not in card(firing, reader)
    evidence = firing.evidence.model_copy(update={"slices_among": "filtered retrievals, unweighted"})
    shown = card(firing.model_copy(update={"evidence": evidence}), reader)
    assert "among filtered retrievals, unweighted" in shown


def test_hostile_notes_and_slices_are_inert(firing: Alert, reader: Reader) -> None:
    evil = "<img src=x onerror=alert(1)>"
    share = firing.evidence.slices[0].model_copy(update={"value": evil})
    changed = firing.model_copy(
        update={
            "acknowledged_by": evil,
            "acknowledged_note": evil,
            "acknowledged_at": reader.now,
            "evidence": firing.evidence.model_copy(update={"slices": [share], "trace_ids": ['"><script>']}),
        }
    )
    shown = card(changed, reader)
    assert "<img" not in shown
    assert "<script" not in shown


@pytest.mark.parametrize(
    ("onset", "said"),
    [
        ((-3, -4, -2), ", for 3 h"),
        ((-3, None, None), ", for 3 h"),
        ((None, None, None), "alert opened; the onset is not clear"),
    ],
    ids=["with interval", "without interval", "undecided"],
)
def test_since_when_says_what_is_known(
    firing: Alert, reader: Reader, onset: tuple[int | None, int | None, int | None], said: str
) -> None:
    at, earliest, latest = (None if hours is None else reader.now + hours * HOUR for hours in onset)
    changed = firing.model_copy(
        update={"onset_at": at, "onset_earliest": earliest, "onset_latest": latest, "opened_at": reader.now - HOUR}
    )
    assert said in since(changed, reader)


def test_when_the_last_breach_was_seen_is_said(firing: Alert, reader: Reader) -> None:
    changed = firing.model_copy(update={"last_breach_at": reader.now - timedelta(minutes=12)})
    assert "last breach 12 min ago" in since(changed, reader)


def test_the_gauge_keeps_its_marks_in_order_and_inside(firing: Alert) -> None:
    at = gauge.gauge(firing.evidence)
    assert at.lower is not None
    assert at.value is not None
    assert at.upper is not None
    assert at.limit is not None
    assert 0 < at.limit < at.lower < at.value < at.upper < 100


@pytest.mark.parametrize("number", [0.0, 400.0])
def test_a_gauge_of_one_number_is_in_the_middle(firing: Alert, number: float) -> None:
    evidence = firing.evidence.model_copy(update={"lower": None, "upper": None, "value": number, "limit": number})
    assert gauge.gauge(evidence) == gauge.Gauge(None, 50.0, None, 50.0)
    assert 'class="band"' not in gauge.draw(evidence)


def test_a_gauge_without_a_limit_has_no_mark_for_it(firing: Alert) -> None:
    evidence = firing.evidence.model_copy(update={"limit": None})
    assert gauge.gauge(evidence).limit is None
    assert 'class="limit"' not in gauge.draw(evidence)
    assert gauge.certainty(evidence) == "at the alarm level at least 790 ms"


def test_the_gauge_has_words_for_those_who_do_not_see_it(firing: Alert) -> None:
    assert 'aria-label="95 % interval 880 ms to 1270 ms, limit 400 ms"' in gauge.draw(firing.evidence)


def test_a_bound_at_an_impossible_limit_is_no_division_by_zero(firing: Alert) -> None:
    evidence: Evidence = firing.evidence.model_copy(update={"limit": 0.0})
    assert gauge.certainty(evidence) == "at the alarm level at least 790 ms"


def test_guardrails_are_listed_worst_first(status: Status, reader: Reader) -> None:
    shown = guardrail_table(status.guardrails, reader)
    assert shown.index("Breach") < shown.index("Inconclusive") < shown.index("OK")
    assert shown.count("<tr>") == 1 + len(status.guardrails)


def test_every_state_has_a_symbol_and_a_word_of_its_own() -> None:
    for known in (GUARDRAIL, ALERT):
        assert len({shown.symbol for shown in known.values()}) == len(known)
        assert len({shown.word for shown in known.values()}) == len(known)


def test_a_state_from_a_newer_service_keeps_its_name() -> None:
    assert "half asleep" in pill(look("half_asleep", GUARDRAIL))


def test_a_series_from_elsewhere_cannot_bring_markup(reader: Reader) -> None:
    moment = datetime(2026, 11, 30, tzinfo=UTC)
    evil = GuardrailState(
        guardrail="<b>", series="<i>", state="ok", since=moment, evaluated_at=moment, sentence="<script>"
    )
    shown = guardrail_table([evil], reader)
    assert not any(element in shown for element in ("<b>", "<i>", "<script>"))


def resolved(firing: Alert, reader: Reader, *, days_ago: float, **values: object) -> Alert:
    then = reader.now - timedelta(days=days_ago)
    times = {"opened_at": then - timedelta(days=2), "onset_at": None, "last_breach_at": then, "resolved_at": then}
    return firing.model_copy(update={"state": "resolved", **times, **values})


def test_alerts_stay_in_sight_for_two_weeks_after_they_are_resolved(firing: Alert, reader: Reader) -> None:
    alerts = [resolved(firing, reader, days_ago=days, alert_id=str(days)) for days in (15, 3, 13.9, 1)]
    assert [alert.alert_id for alert in recently_resolved([firing, *alerts], reader)] == ["1", "3", "13.9"]


def test_a_resolved_alert_says_how_long_it_lasted(firing: Alert, reader: Reader) -> None:
    row = resolved_table([resolved(firing, reader, days_ago=3)], reader)
    assert "2 d" in row
    assert "3 d ago" in row


def test_a_hostile_sentence_among_the_resolved_is_inert(firing: Alert, reader: Reader) -> None:
    assert "<script>" not in resolved_table([resolved(firing, reader, days_ago=1, sentence="<script>")], reader)
