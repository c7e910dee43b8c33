import subprocess
import sys

import pytest

ANSWERS = """
import sys
from datetime import datetime
from ragvigil_monitor.demo.app import App
from ragvigil_monitor.demo.clock import SimulatedClock
from ragvigil_monitor.demo.following import Asking
from ragvigil_monitor.demo.library import Library
from ragvigil_monitor.demo.plan import Plan
from ragvigil_monitor.demo.users import Visit

seed, end = int(sys.argv[1]), datetime.fromisoformat(sys.argv[2])
library = Library.build()
plan = Plan.draw(seed=seed, end=end, days=3, answers=400)
clock = SimulatedClock(plan.start)
app, healthy = App(library, clock.wait_ms), library.healthy_parts(seed)
for one in plan.planted:
    print("planted", one.incident.kind, one.planted_at, one.ended_at, one.released)
for release in plan.releases[1:]:
    print("release", release.version, release.at)
for visit in plan.events():
    if isinstance(visit, Visit):
        parts = plan.parts_at(healthy, visit.at)
        clock.move_to(visit.at)
        request = plan.request(Asking(visit.at, visit, plan.question(visit, parts)))
        reply = app.answer(request, parts).reply
        print("answer", visit.at, clock.wall_ns(), request.question, reply.citations, ascii(reply.text))
"""
END = "2026-11-30T12:00:00+00:00"


def run(seed: int, end: str, hash_seed: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", ANSWERS, str(seed), end],
        env={"PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def lines() -> list[str]:
    return run(5, END, "1")


@pytest.mark.slow
def test_the_same_seed_and_end_give_the_same_run_in_every_process(lines: list[str]) -> None:
    assert len([line for line in lines if line.startswith("answer")]) > 300
    assert run(5, END, "2") == lines


@pytest.mark.slow
def test_another_seed_gives_another_run(lines: list[str]) -> None:
    assert not set(run(6, END, "1")) & set(lines)


@pytest.mark.slow
def test_another_end_moves_the_plan_and_keeps_its_shape(lines: list[str]) -> None:
    later = run(5, "2026-12-07T12:00:00+00:00", "1")
    assert [line.split()[0] for line in later] == [line.split()[0] for line in lines]
    assert not set(later) & set(lines)
