import re
import threading
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import httpx
import pytest

from ragvigil.testing import Receiver, SpanSnapshot, receiving, strict
from ragvigil_monitor.cli.processes import start_serve
from ragvigil_monitor.demo.app import SERVICE
from ragvigil_monitor.demo.library import Library
from ragvigil_monitor.demo.monitor import Monitor
from ragvigil_monitor.demo.owner import write_settings
from ragvigil_monitor.demo.plan import Plan
from ragvigil_monitor.demo.simulation import Interrupted, Simulation
from ragvigil_monitor.service import utc_now


@pytest.fixture
def monitor(tmp_path: Path) -> Iterator[Monitor]:
    serving = start_serve(write_settings(tmp_path, on_request=True), tmp_path / "demo.duckdb", port=0)
    with serving.child, Monitor.at(serving.url, serving.keys) as monitor:
        yield monitor


def quiet(answers: int, day: int) -> None:
    """Tell nobody."""


def test_everything_that_was_sent_is_stored_and_judged(library: Library, monitor: Monitor) -> None:
    told: list[tuple[int, int]] = []
    plan = Plan.draw(seed=3, end=utc_now(), days=3, answers=120)
    volume = Simulation(
        plan, library, monitor, threading.Event(), lambda answers, day: told.append((answers, day))
    ).run()
    assert volume.spans_sent == volume.spans_stored
    assert 0 < volume.spans_sent - 8 * volume.answers < 0.2 * volume.answers, "each probe is one span"
    assert volume.answers == pytest.approx(120, rel=0.35)
    assert (volume.seed, volume.days) == (3, 3)
    assert [day for _, day in told] == [1, 2, 3]
    assert told[-1][0] == volume.answers
    assert monitor.run_due(plan.end).jobs["latency_p95"] == 0


def test_the_monitor_sees_each_release_and_no_plan(library: Library, monitor: Monitor) -> None:
    plan = Plan.draw(seed=3, end=utc_now(), days=3, answers=200)
    Simulation(plan, library, monitor, threading.Event(), quiet).run()
    seen = httpx.get(f"{monitor.url}/openapi.json", trust_env=False).text
    assert not re.search("slow_reranker|cost_rise|planted", seen)
    assert monitor.spans_stored(SERVICE) > 0
    assert monitor.spans_stored("another service") == 0


def test_a_stop_ends_the_run_with_a_sentence(library: Library, monitor: Monitor) -> None:
    stop = threading.Event()

    def stop_after_a_day(answers: int, day: int) -> None:
        stop.set()

    simulation = Simulation(
        Plan.draw(seed=3, end=utc_now(), days=3, answers=60), library, monitor, stop, stop_after_a_day
    )
    with pytest.raises(Interrupted, match="Stopped before the end"):
        simulation.run()


def test_a_refusal_of_the_service_is_quoted(monitor: Monitor) -> None:
    tomorrow = utc_now() + timedelta(days=1)
    with pytest.raises(httpx.HTTPStatusError, match=r"/api/v1/admin/run-due answered 422.*in the future"):
        monitor.run_due(tomorrow)


def sent_by(library: Library, receiver: Receiver, plan: Plan) -> list[SpanSnapshot]:
    """What a simulation sends to a receiver that is no monitor: it fails at the day's end; by then all is sent."""
    receiver.requests.clear()
    with httpx.Client(base_url=receiver.endpoint, trust_env=False) as http:
        simulation = Simulation(plan, library, Monitor(receiver.endpoint, http), threading.Event(), quiet)
        with pytest.raises(ValueError, match="validation error"):
            simulation.run()
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
