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

library = Library.build()
for place in range(1, len(sys.argv), 2):
    seed, end = int(sys.argv[place]), datetime.fromisoformat(sys.argv[place + 1])
    print("run", place)
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
LATER = "2026-12-07T12:00:00+00:00"


def runs(hash_seed: str, *plans: str) -> list[list[str]]:
    """The lines of each plan, given as seed and end, from one new process."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", ANSWERS, *plans],
        env={"PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=True,
    )
    found: list[list[str]] = []
    for line in done.stdout.splitlines():
        if line.startswith("run"):
            found.append([])
        else:
            found[-1].append(line)
    return found


@pytest.fixture(scope="module")
def three_runs() -> list[list[str]]:
    """A run, one with another seed, and one with another end; the library is built once for all of them."""
    return runs("1", "5", END, "6", END, "5", LATER)


@pytest.fixture
def lines(three_runs: list[list[str]]) -> list[str]:
    return three_runs[0]


@pytest.mark.slow
def test_the_same_seed_and_end_give_the_same_run_in_every_process(lines: list[str]) -> None:
    assert len([line for line in lines if line.startswith("answer")]) > 300
    assert runs("2", "5", END) == [lines]


@pytest.mark.slow
def test_another_seed_gives_another_run(three_runs: list[list[str]]) -> None:
    lines, another, _ = three_runs
    assert len([line for line in another if line.startswith("answer")]) > 300
    assert not set(another) & set(lines)


@pytest.mark.slow
def test_another_end_moves_the_plan_and_keeps_its_shape(three_runs: list[list[str]]) -> None:
    lines, _, later = three_runs
    assert [line.split()[0] for line in later] == [line.split()[0] for line in lines]
    assert not set(later) & set(lines)
