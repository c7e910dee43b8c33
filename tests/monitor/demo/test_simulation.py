import re
import threading
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import httpx
import pytest

from ragvigil.testing import Receiver, SpanSnapshot, receiving, strict
from ragvigil_monitor.cli.processes import ServeProcess, start_serve
from ragvigil_monitor.demo.app import SERVICE
from ragvigil_monitor.demo.evidence_report import evidence_report
from ragvigil_monitor.demo.library import Library
from ragvigil_monitor.demo.monitor import Monitor
from ragvigil_monitor.demo.owner import write_settings
from ragvigil_monitor.demo.plan import Plan
from ragvigil_monitor.demo.reviewer import Reviewers
from ragvigil_monitor.demo.simulation import Interrupted, Review, Simulation, Tell
from ragvigil_monitor.demo.truth import Truth
from ragvigil_monitor.keys import Role
from ragvigil_monitor.service import utc_now

pytestmark = pytest.mark.slow


@pytest.fixture
def serving(tmp_path: Path) -> Iterator[ServeProcess]:
    serving = start_serve(write_settings(tmp_path, on_request=True), tmp_path / "demo.duckdb", port=0)
    with serving.child:
        yield serving


@pytest.fixture
def monitor(serving: ServeProcess) -> Iterator[Monitor]:
    with Monitor.at(serving.url, serving.keys) as monitor:
        yield monitor


def quiet(answers: int, day: int) -> None:
    """Tell nobody."""


def unreviewed() -> None:
    """Nobody reviews."""


def simulation(
    plan: Plan,
    library: Library,
    monitor: Monitor,
    *,
    stop: threading.Event | None = None,
    tell: Tell = quiet,
    truth: Truth | None = None,
    review: Review = unreviewed,
) -> Simulation:
    return Simulation(plan, library, monitor, stop or threading.Event(), tell, truth or Truth(library), review)


def test_everything_that_is_drawn_is_reviewed_in_its_own_time_and_compared_with_the_truth(
    library: Library, serving: ServeProcess, monitor: Monitor
) -> None:
    plan, truth = Plan.draw(seed=3, end=utc_now(), days=2, answers=250), Truth(library)
    with Reviewers.at(serving.url, serving.keys, library, truth, plan.seed, threading.Event()) as reviewers:
        simulation(plan, library, monitor, truth=truth, review=reviewers.label_all).run()
    assert reviewers.reviews.served == reviewers.reviews.labelled > 15
    report = evidence_report(monitor, truth, reviewers.reviews)
    assert 0 < report.at_95.n <= report.true_rate.n
    assert report.at_95.missing == 0
    assert sum(stage.n for stage in report.losses.stages) >= report.at_95.n


def test_everything_that_was_sent_is_stored_and_judged(library: Library, monitor: Monitor) -> None:
    told: list[tuple[int, int]] = []
    plan = Plan.draw(seed=3, end=utc_now(), days=3, answers=120)
    volume = simulation(plan, library, monitor, tell=lambda answers, day: told.append((answers, day))).run()
    assert volume.spans_sent == volume.spans_stored
    assert 0 < volume.spans_sent - 8 * volume.answers < 0.2 * volume.answers, "each probe is one span"
    assert volume.answers == pytest.approx(120, rel=0.35)
    assert (volume.seed, volume.days) == (3, 3)
    assert [day for _, day in told] == [1, 2, 3]
    assert told[-1][0] == volume.answers
    assert monitor.run_due(plan.end).jobs["latency_p95"] == 0


def test_every_hour_is_known_to_be_complete(library: Library, serving: ServeProcess, monitor: Monitor) -> None:
    plan = Plan.draw(seed=3, end=utc_now(), days=2, answers=400)
    volume = simulation(plan, library, monitor).run()
    key = {"Authorization": f"Bearer {serving.keys.by_role[Role.ADMIN]}"}
    with httpx.Client(base_url=serving.url, headers=key, trust_env=False) as http:
        hours = http.get("/api/v1/completeness/hours", params={"hours": 60}).json()
    assert {hour["uncounted"] for hour in hours} == {0}
    assert {hour["share"] for hour in hours if hour["stored"]} == {1.0}
    assert sum(hour["stored"] for hour in hours) == volume.spans_stored


def test_the_monitor_sees_each_release_and_no_plan(library: Library, monitor: Monitor) -> None:
    plan = Plan.draw(seed=3, end=utc_now(), days=3, answers=200)
    simulation(plan, library, monitor).run()
    seen = httpx.get(f"{monitor.url}/openapi.json", trust_env=False).text
    assert not re.search("slow_reranker|cost_rise|planted", seen)
    assert monitor.spans_stored(SERVICE) > 0
    assert monitor.spans_stored("another service") == 0


def test_a_stop_ends_the_run_with_a_sentence(library: Library, monitor: Monitor) -> None:
    stop = threading.Event()

    def stop_after_a_day(answers: int, day: int) -> None:
        stop.set()

    plan = Plan.draw(seed=3, end=utc_now(), days=3, answers=60)
    with pytest.raises(Interrupted, match="Stopped before the end"):
        simulation(plan, library, monitor, stop=stop, tell=stop_after_a_day).run()


def test_reviewers_stop_when_the_run_does(library: Library, serving: ServeProcess, monitor: Monitor) -> None:
    plan, truth, stop = Plan.draw(seed=3, end=utc_now(), days=1, answers=120), Truth(library), threading.Event()
    with Reviewers.at(serving.url, serving.keys, library, truth, plan.seed, stop) as reviewers:
        simulation(plan, library, monitor, truth=truth).run()
        stop.set()
        reviewers.label_all()
        assert reviewers.reviews.served == 0
        stop.clear()
        reviewers.label_all()
        assert reviewers.reviews.labelled > 0


def test_a_refusal_of_the_service_is_quoted(monitor: Monitor) -> None:
    tomorrow = utc_now() + timedelta(days=1)
    with pytest.raises(httpx.HTTPStatusError, match=r"/api/v1/admin/run-due answered 422.*in the future"):
        monitor.run_due(tomorrow)


def sent_by(library: Library, receiver: Receiver, plan: Plan) -> list[SpanSnapshot]:
    """What a simulation sends to a receiver that is no monitor: it fails at the day's end; by then all is sent."""
    receiver.requests.clear()
    with (
        httpx.Client(base_url=receiver.endpoint, trust_env=False) as http,
        pytest.raises(ValueError, match="validation error"),
    ):
        simulation(plan, library, Monitor(receiver.endpoint, http)).run()
    return sorted(receiver.spans, key=lambda span: (span.start_ns, span.span_id))


def test_the_same_seed_and_end_send_the_same_telemetry(library: Library, now: datetime) -> None:
    with strict(), receiving() as receiver:
        plan = Plan.draw(seed=5, end=now, days=1, answers=40)
        one, two = (sent_by(library, receiver, plan) for _ in range(2))
        other = sent_by(library, receiver, Plan.draw(seed=6, end=now, days=1, answers=40))
    described = [
        [(s.name, s.trace_id, s.span_id, s.start_ns, s.end_ns, without_uuids(s)) for s in sent] for sent in (one, two)
    ]
    assert len(one) > 200
    assert described[0] == described[1]
    assert [span.start_ns for span in one] != [span.start_ns for span in other]


def without_uuids(span: SpanSnapshot) -> dict[str, object]:
    """The attributes; ids that the recorder makes itself are left out."""
    return {name: value for name, value in span.attributes.items() if not name.startswith("ragvigil.answer.")}
