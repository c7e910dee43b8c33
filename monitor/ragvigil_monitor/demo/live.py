"""Slow traffic in real time after the simulation, so that the pages show a system that lives."""

import threading
import time
from collections.abc import Iterator
from itertools import count

import ragvigil
from ragvigil_monitor.demo.access import TEAMS
from ragvigil_monitor.demo.app import App
from ragvigil_monitor.demo.dice import dice
from ragvigil_monitor.demo.following import Asking
from ragvigil_monitor.demo.library import Library
from ragvigil_monitor.demo.plan import Plan
from ragvigil_monitor.demo.rhythm import load
from ragvigil_monitor.demo.telemetry import Telemetry
from ragvigil_monitor.demo.users import Visit
from ragvigil_monitor.service import Clock, utc_now

BUSIEST_PER_MINUTE = 6.0
LAST_FLUSH_S = 3.0
"""Ctrl-C in a terminal reaches the service too: it may be gone before the last answers are sent."""
QUIETEST_LOAD = 0.25
"""Nights are not quieter than this share of the busiest hour: someone may be watching."""


def send_live_traffic(
    plan: Plan,
    library: Library,
    endpoint: str,
    stop: threading.Event,
    *,
    per_minute: float = BUSIEST_PER_MINUTE,
) -> None:
    """Go on with the app as the run left it until `stop` is set; stages take their time by sleeping.

    `per_minute` is how many ask in the busiest hour.
    """
    telemetry = Telemetry(endpoint, plan.seed)
    app = App(library, _sleep_ms)
    parts = plan.parts_at_end(library.healthy_parts(plan.seed))
    telemetry.release(plan.releases[-1].version)
    try:
        for visit in _visitors(plan.seed, per_minute, stop, utc_now):
            app.answer(plan.request(Asking(visit.at, visit, plan.question(visit, parts))), parts)
    finally:
        ragvigil.shutdown(LAST_FLUSH_S)


def _visitors(seed: int, per_minute: float, stop: threading.Event, clock: Clock) -> Iterator[Visit]:
    rng = dice(seed, "live", clock())
    for number in count(1):
        busy = max(load(clock()), QUIETEST_LOAD)
        if stop.wait(rng.expovariate(per_minute / 60 * busy)):
            return
        team = rng.choice(list(TEAMS))
        yield Visit(-number, clock(), f"live-{team}", team, f"live-{number}")


def _sleep_ms(duration_ms: float) -> None:
    time.sleep(duration_ms / 1000)
