"""A real pipeline on Qdrant, reviewed to the end: the monitor itself names the questions that lost their evidence."""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.samples.monitors import Monitor, running_monitor
from tests.samples.multilingual import corpus
from tests.samples.multilingual.asking import SEED, Asked, K, ask, assert_every_request_names_the_tenant
from tests.samples.multilingual.corpus import Corpus
from tests.samples.multilingual.evidence import ByHand, Fate
from tests.samples.multilingual.reviewer import Item, PerfectReviewer

AGO = timedelta(days=3)
"""When questions are asked: the draw, the review and the look of the guardrail have their time until now."""
DRAWN_AFTER = timedelta(hours=4)
STAGES = ("filter", "retrieve", "rerank", "context", "citation", "kept")


class PastClock:
    """The clock of an application that was used some time ago."""

    monotonic_ns = staticmethod(time.monotonic_ns)

    def wall_ns(self) -> int:
        """Nanoseconds since the epoch."""
        return time.time_ns() - AGO // timedelta(microseconds=1) * 1000


@dataclass(frozen=True, slots=True)
class Reviewed:
    """What was asked, what a reviewer was shown of it, and a running monitor that has read the labels."""

    monitor: Monitor
    asked: Asked
    shown: list[Item]
    fates: dict[str, Fate]
    asked_at: datetime

    def found(self) -> dict[str, dict[str, Any]]:
        """By the question's text what the monitor says of the evidence of its only retrieval."""
        start, end = self.asked_at - timedelta(hours=1), self.asked_at + timedelta(hours=1)
        answers = self.monitor.get("/answers", start=start.isoformat(), end=end.isoformat(), limit=500)
        return {each["question"]: self._only_retrieval(each["trace_id"]) for each in answers}

    def _only_retrieval(self, trace_id: str) -> dict[str, Any]:
        (retrieval,) = self.monitor.get(f"/answers/{trace_id}/evidence")
        return dict(retrieval)

    def lost_at(self) -> Counter[str]:
        """How many questions with evidence truly lost it at which stage."""
        return Counter(fate.lost_at for fate in self.fates.values() if fate.lost_at is not None)


Reviews = Callable[..., AbstractContextManager[Reviewed]]


@pytest.fixture
def reviewed(tmp_path: Path) -> Reviews:
    """Questions that are asked three days ago, drawn for review four hours later, and all labelled before a look."""
    config = tmp_path / "ragvigil.yaml"
    config.write_text(yaml.safe_dump({"schedule": {"tick_s": 0}, "review": {"unfiltered_share": 1}}))

    @contextmanager
    def run(texts: Corpus, *, hard_locale: bool) -> Iterator[Reviewed]:
        questions = corpus.sample(texts.questions, 200, SEED)
        with running_monitor(tmp_path / "a.duckdb", config) as monitor:
            asked = ask(monitor, texts, questions, hard_locale=hard_locale, clock=PastClock())
            asked_at = datetime.fromisoformat(monitor.get("/status")["now"]) - AGO
            monitor.run_jobs(asked_at + DRAWN_AFTER)
            shown = PerfectReviewer(asked.requests, asked.documents).label_all(monitor)
            monitor.run_jobs()
            assert monitor.get("/status")["problems"] == []
            by_hand = ByHand(asked.documents, asked.encoder, k=K, hard_locale=hard_locale)
            fates = {request.question.text: by_hand.fate(request) for request in asked.requests}
            yield Reviewed(monitor, asked, shown, fates, asked_at)

    return run


every_corpus = pytest.mark.parametrize(
    "texts_of",
    [
        pytest.param(corpus.written, id="written"),
        pytest.param(corpus.real_or_skip, id="real", marks=[pytest.mark.slow, pytest.mark.timeout(600)]),
    ],
)


def assert_every_question_is_judged_as_by_hand(done: Reviewed) -> None:
    """Question by question: is there evidence, is it excluded, how far did each relevant document come."""
    found = done.found()
    assert found.keys() == done.fates.keys()
    for question, fate in done.fates.items():
        said = found[question]
        assert {each["id"]: each["last_seen"] for each in said["documents"]} == fate.documents, question
        assert said["has_evidence"] is (fate.lost_at is not None), question
        assert said["is_excluded"] is (fate.lost_at == "filter"), question
        assert (said["lost_at"], said["unknown_because"]) == (fate.lost_at, None), question


def assert_losses_are_counted(done: Reviewed) -> None:
    """Stage by stage, and the same in the slices by language."""
    found, true = done.monitor.get("/review/losses"), done.lost_at()
    assert {each["stage"]: each["n"] for each in found["stages"]} == {stage: true[stage] for stage in STAGES}
    assert (found["n"], found["unknown"]) == (true.total(), 0)
    by_locale = {each["value"]: each["n"] for each in found["slices"] if each["name"] == "locale"}
    locales = Counter(r.question.locale for r in done.asked.requests if done.fates[r.question.text].lost_at is not None)
    assert by_locale == locales


def assert_reviewers_see_only_what_the_asker_may_see(done: Reviewed) -> None:
    """Each question is shown once, with texts of documents of its tenant only."""
    asked = {request.question.text: request for request in done.asked.requests}
    assert sorted(item["question"] for item in done.shown) == sorted(asked)
    for item in done.shown:
        request = asked[item["question"]]
        visible = {each.passage.text for each in done.asked.documents if request.may_see(each)}
        assert {each["text"] for each in item["evidence"]} <= visible


def rates_of(done: Reviewed) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the monitor says of both series; nothing is unknown, nothing waits, nothing was left out of the draw."""
    found = done.monitor.get("/review/false-exclusion")
    every, filtered = found["rates"]
    assert (every["series"], filtered["series"]) == ("all", "filtered")
    assert (found["unknown"], found["not_drawn"]) == ({}, {})
    assert (every["drawn"], every["waiting"], every["missing"]) == (len(done.asked.requests), 0, 0)
    return every, filtered


def guardrail_of(done: Reviewed) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """How the guardrail stands, and its alerts."""
    status = done.monitor.get("/status")
    (state,) = [each for each in status["guardrails"] if each["guardrail"] == "false_exclusion"]
    return state, [each for each in status["alerts"] if each["guardrail"] == "false_exclusion"]


@every_corpus
def test_the_monitor_names_the_questions_that_a_hard_filter_hurt(
    reviewed: Reviews, texts_of: Callable[[], Corpus]
) -> None:
    with reviewed(texts_of(), hard_locale=True) as done:
        assert_every_question_is_judged_as_by_hand(done)
        assert_losses_are_counted(done)
        assert_reviewers_see_only_what_the_asker_may_see(done)
        assert_every_request_names_the_tenant(done.asked)
        lost_at = done.lost_at()
        assert lost_at["filter"] >= 20
        for rate in rates_of(done):
            assert (rate["events"], rate["n"]) == (lost_at["filter"], lost_at.total())
            assert rate["value"] == pytest.approx(lost_at["filter"] / lost_at.total())
        state, alerts = guardrail_of(done)
        assert (state["series"], state["state"]) == ("all", "breach")
        assert [alert["series"] for alert in alerts] == ["all"]


@every_corpus
def test_without_the_filter_the_same_questions_keep_their_evidence(
    reviewed: Reviews, texts_of: Callable[[], Corpus]
) -> None:
    with reviewed(texts_of(), hard_locale=False) as done:
        assert_every_question_is_judged_as_by_hand(done)
        assert_losses_are_counted(done)
        assert_reviewers_see_only_what_the_asker_may_see(done)
        assert_every_request_names_the_tenant(done.asked, hard_locale=False)
        every, filtered = rates_of(done)
        assert (every["events"], every["n"], every["value"]) == (0, done.lost_at().total(), 0)
        assert (filtered["state"], filtered["value"]) == ("missing_evidence", None)
        state, alerts = guardrail_of(done)
        assert (state["series"], state["state"], alerts) == ("all", "inconclusive", [])
