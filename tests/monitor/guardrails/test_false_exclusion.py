"""False exclusion as a guardrail: states, sentences, and a whole alert from labels in the store."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pytest
from tests.samples.fresh_stores import fresh_store
from tests.samples.relevance_reviews import RelevanceReviews

from ragvigil_monitor.api.models import Alert, State
from ragvigil_monitor.guardrails.false_exclusion import FALSE_EXCLUSION_GUARDRAIL
from ragvigil_monitor.guardrails.finding import Finding
from ragvigil_monitor.jobs import jobs
from ragvigil_monitor.review.label_reading import READ_LABELS
from ragvigil_monitor.schedule import run_due
from ragvigil_monitor.service import Service
from ragvigil_monitor.settings import Settings
from ragvigil_monitor.signals.signal import Look, Window

WEEK_S = 168 * 3600
EXCLUDED: dict[str, Any] = {"found": ["a"], "probed": ["a", "c"], "passes": [True, False], "relevant": ["c"]}
FOUND: dict[str, Any] = {"found": ["a"], "probed": ["a", "c"], "passes": [True, False], "relevant": ["a"]}
HIDDEN: dict[str, Any] = {"found": ["a"], "probed": ["a", "c"], "passes": [True, None], "relevant": ["c"]}
UNFILTERED: dict[str, Any] = {"found": ["a"], "relevant": ["a"]}

Judge = Callable[..., dict[str, Finding]]


@pytest.fixture
def judge(make_service: Any, monday: datetime) -> Judge:
    """Labels as many retrievals as asked, and takes one look over the week after Monday."""

    def look(
        *units: tuple[int, dict[str, Any]],
        alpha: float = 0.001,
        answered_before: bool = True,
        **section: Any,
    ) -> dict[str, Finding]:
        service = make_service(store=fresh_store(), guardrails={"false_exclusion": section})
        reviews = RelevanceReviews()
        for times, unit in units:
            for _ in range(times):
                reviews.add(monday + timedelta(days=3), **unit)
        reviews.insert(service.store)
        run_due(service, monday + timedelta(days=8), listed=lambda _settings: [READ_LABELS])
        window = Look(service.store, Window(monday + timedelta(days=7), WEEK_S), service.settings, alpha)
        found = FALSE_EXCLUSION_GUARDRAIL.findings(window, answered_before=answered_before)
        return {finding.series: finding for finding in found}

    return look


def test_a_breach_says_which_rate_at_what_depth_from_how_many_reviews(judge: Judge) -> None:
    found = judge((20, EXCLUDED), (30, FOUND), (50, UNFILTERED))
    finding = found["all"]
    assert finding.state is State.BREACH
    assert finding.sentence == (
        "False exclusion over the last 168 h, all retrievals with evidence, filtered at depth 20, unfiltered at 10: "
        "20 % (95 % interval 12.6–30.9 %, n = 100), excluded in 20 answers, limit 2 % (starting value)."
    )
    assert found["filtered"].state is State.UNGUARDED
    assert found["filtered"].estimate.value == pytest.approx(0.4)


def test_a_rate_among_the_filtered_has_the_depth_of_its_probes(judge: Judge) -> None:
    finding = judge((20, EXCLUDED), (30, FOUND), (50, UNFILTERED), limits={"filtered": 0.9})["filtered"]
    assert "filtered retrievals with evidence, at depth 20: 40 %" in finding.sentence


def test_both_series_can_be_guarded_and_a_limit_that_was_set_is_no_starting_value(judge: Judge) -> None:
    found = judge((20, EXCLUDED), (30, FOUND), limits={"filtered": 0.9, "all": 0.02})
    assert (found["filtered"].state, found["all"].state) == (State.OK, State.BREACH)
    assert "filtered retrievals with evidence" in found["filtered"].sentence
    assert "limit 90 %." in found["filtered"].sentence
    assert "starting value" not in found["all"].sentence


def test_two_exclusions_are_no_alarm_however_improbable(judge: Judge) -> None:
    two, three = (judge((times, EXCLUDED), (18, FOUND), limits={"all": 0.001}, alpha=0.02)["all"] for times in (2, 3))
    assert (two.estimate.alarm_lower or 0) > 0.001
    assert (two.state, three.state) == (State.INCONCLUSIVE, State.BREACH)


def test_ok_needs_the_upper_bound_below_the_limit(judge: Judge) -> None:
    assert judge((50, FOUND))["all"].state is State.INCONCLUSIVE
    finding = judge((200, FOUND))["all"]
    assert finding.state is State.OK
    assert "excluded in 0 answers" in finding.sentence
    assert "more" not in finding.sentence


def test_an_open_question_says_how_many_more_reviews_it_takes(judge: Judge) -> None:
    finding = judge((50, FOUND))["all"]
    assert finding.sentence.endswith(" A verdict needs about 143 more reviewed answers with evidence.")


def test_a_rate_above_the_limit_needs_enough_for_the_alarm(judge: Judge) -> None:
    finding = judge((4, EXCLUDED), (56, FOUND), alpha=1e-4)["all"]
    assert finding.state is State.INCONCLUSIVE
    loose = judge((4, EXCLUDED), (56, FOUND), alpha=0.02)["all"]
    wanted = [int(each.sentence.split("needs about ")[1].split()[0]) for each in (loose, finding)]
    assert wanted[0] < wanted[1]


def test_where_what_is_unknown_keeps_a_verdict_away_no_number_of_reviews_is_promised(judge: Judge) -> None:
    kept = judge((250, FOUND), (20, HIDDEN))["all"]
    assert kept.state is State.INCONCLUSIVE
    assert kept.sentence.endswith(" What could not be judged keeps a verdict away, not the number of reviews.")
    alarm = judge((8, EXCLUDED), (92, FOUND), (600, HIDDEN), alpha=0.02)["all"]
    assert alarm.state is State.INCONCLUSIVE
    assert alarm.sentence.endswith(" What could not be judged keeps a verdict away, not the number of reviews.")


def test_two_exclusions_beyond_the_limit_need_a_third_and_not_one_more_review(judge: Judge) -> None:
    finding = judge((2, EXCLUDED), (18, FOUND), limits={"all": 0.001}, alpha=0.02)["all"]
    assert finding.sentence.endswith(" An alarm needs exclusions in 3 answers.")


def test_a_rate_on_the_limit_can_be_decided_by_no_number_of_reviews(judge: Judge) -> None:
    finding = judge((1, EXCLUDED), (49, FOUND))["all"]
    assert finding.state is State.INCONCLUSIVE
    assert "too close to the limit" in finding.sentence


def test_what_could_not_be_judged_is_said_and_keeps_an_ok_away(judge: Judge) -> None:
    finding = judge((200, FOUND), (20, HIDDEN))["all"]
    assert finding.state is State.INCONCLUSIVE
    assert "20 could not be judged: 20 no metadata." in finding.sentence


def test_without_a_label_it_is_missing_evidence(judge: Judge) -> None:
    finding = judge((7, {**FOUND, "relevant": None}))["all"]
    assert finding.state is State.NO_DATA
    assert finding.sentence == (
        "No reviewed retrieval with evidence over the last 168 h (7 drawn for review, 7 of them wait): missing "
        "evidence; limit 2 % (starting value)."
    )
    assert finding.estimate.value is None


def test_nothing_drawn_is_missing_evidence_too(judge: Judge) -> None:
    finding = judge()["all"]
    assert (finding.state, set(judge())) == (State.NO_DATA, {"all"})
    assert "none was drawn for review" in finding.sentence


def test_unfiltered_retrievals_alone_are_no_reassuring_zero(judge: Judge) -> None:
    """Their evidence is never excluded, and what filters exclude nobody has probed."""
    unprobed = {**UNFILTERED, "standing": "not_probed"}
    finding = judge((300, UNFILTERED), (300, unprobed))["all"]
    assert (finding.state, finding.estimate.value) == (State.NO_DATA, None)
    assert finding.sentence == (
        "Too few filtered retrievals were probed, drawn and judged to stand for all of them over the last 168 h: "
        "missing evidence; limit 2 % (starting value)."
    )
    alone = judge((300, UNFILTERED))["all"]
    assert alone.state is State.OK
    assert ", unfiltered at depth 10: 0 %" in alone.sentence


def test_retrievals_with_an_unknown_filter_are_said_to_be_left_out(judge: Judge) -> None:
    unknown = {**UNFILTERED, "standing": "filter_unknown"}
    finding = judge((200, FOUND), (30, unknown))["all"]
    assert finding.sentence.endswith("Not in it: 30 retrievals whose filter is unknown.")


def test_before_the_first_answer_it_waits(judge: Judge) -> None:
    finding = judge(answered_before=False)["all"]
    assert finding.state is State.WARMING_UP
    waiting = FALSE_EXCLUSION_GUARDRAIL.waiting(Settings.load())
    assert waiting == {"all": finding.sentence}
    assert finding.sentence == (
        "No answer has arrived yet; false exclusion, all retrievals with evidence, has the limit 2 % (starting value)."
    )


def test_one_or_two_reviews_have_no_power(judge: Judge) -> None:
    assert judge((2, FOUND))["all"].state is State.NO_POWER


def test_a_window_is_judged_when_reviewers_had_their_time() -> None:
    settings = Settings.load(guardrails={"false_exclusion": {"review_delay_h": 48}})
    job = next(job for job in jobs(settings) if job.name == "false_exclusion")
    assert (job.every_s, job.matures_s) == (86400, 48 * 3600)


def test_the_filter_that_turned_hard_is_found_with_onset_slice_and_release(
    make_service: Callable[..., Service], monday: datetime, alerts: Callable[[], list[Alert]]
) -> None:
    service = make_service()
    reviews, rng = RelevanceReviews(), np.random.default_rng(5)
    broken_from = monday + timedelta(days=16)
    fates: list[tuple[datetime, bool]] = []
    for hour in range(24 * 20):
        started_at = monday + timedelta(hours=hour, minutes=5)
        is_broken = started_at >= broken_from and rng.random() < 0.4
        fates.append((started_at, is_broken))
        answer: dict[str, Any] = {
            "intent": "how_to" if is_broken else "lookup",
            "service_version": f"{1 + (started_at >= broken_from)}",
        }
        reviews.add(started_at, **(EXCLUDED if is_broken else FOUND), sampling_probability=0.1, **answer)
        if hour % 2:
            reviews.add(started_at, **UNFILTERED, probability=0.05, intent="lookup")
    reviews.insert(service.store)
    own = [job for job in jobs(service.settings) if job.name in {"markers", "relevance_outcomes", "false_exclusion"}]
    run_due(service, monday + timedelta(days=21, hours=1), listed=lambda _settings: own)
    assert service.store.rows("job_problems_now") == []
    found = [alert for alert in alerts() if alert.guardrail == "false_exclusion"]
    assert [alert.series for alert in found] == ["all"]
    assert broken_from < found[0].opened_at <= broken_from + timedelta(days=4)
    assert found[0].onset_earliest is not None
    assert found[0].onset_latest is not None
    assert found[0].onset_earliest - timedelta(hours=6) <= broken_from <= found[0].onset_latest
    shown = found[0].evidence
    assert (shown.slices[0].value, shown.slices_among) == ("how_to", "filtered retrievals, unweighted")
    of_release = next(each for each in shown.slices if (each.name, each.value) == ("service_version", "2"))
    seen = [broken for at, broken in fates if max(shown.window_start, broken_from) <= at < shown.window_end]
    assert of_release.n == len(seen)
    assert of_release.estimate == pytest.approx(np.mean(seen))
    # Half of the evidence is filtered, so of these twice as many may be excluded as of all.
    assert of_release.excess == pytest.approx(sum(seen) - 2 * 0.02 * len(seen), rel=0.02)
    assert found[0].evidence.unit == "ratio"
    assert len(found[0].evidence.trace_ids) == 10
