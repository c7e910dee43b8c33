"""Runs a plan: simulated users ask a real app, through the real instrumentation, receiver and jobs."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import datetime, timedelta

from ragvigil_monitor.demo.agenda import Agenda
from ragvigil_monitor.demo.app import SERVICE, App
from ragvigil_monitor.demo.clock import SimulatedClock
from ragvigil_monitor.demo.following import Asking, Following, Rating, followings
from ragvigil_monitor.demo.library import Library
from ragvigil_monitor.demo.monitor import Monitor
from ragvigil_monitor.demo.plan import DayEnd, Event, Plan
from ragvigil_monitor.demo.releases import Release
from ragvigil_monitor.demo.report import Volume
from ragvigil_monitor.demo.seeded_ids import SeededIds
from ragvigil_monitor.demo.telemetry import Telemetry
from ragvigil_monitor.demo.truth import Truth
from ragvigil_monitor.demo.users import Visit
from ragvigil_monitor.errors import MonitorError

Tell = Callable[[int, int], None]
"""Told how many answers were given and which day ended."""
Review = Callable[[], None]
"""Labels what waits for review."""
_REPORTED_AT_MINUTE = 50


class Interrupted(MonitorError):  # noqa: N818 - what happened
    """Someone stopped the run."""


class Simulation:
    """One run of a plan against a service.

    The jobs and the reviews of a day are done while the next day is simulated: they concern only what lies before.
    """

    def __init__(
        self,
        plan: Plan,
        library: Library,
        monitor: Monitor,
        stop: threading.Event,
        tell: Tell,
        truth: Truth,
        review: Review,
    ) -> None:
        clock = SimulatedClock(plan.start)
        self._plan = plan
        self._monitor = monitor
        self._stop = stop
        self._tell = tell
        self._truth = truth
        self._review = review
        self._clock = clock
        self._app = App(library, clock.wait_ms)
        self._healthy = library.healthy_parts(plan.seed)
        self._telemetry = Telemetry(monitor.url, plan.seed, clock, SeededIds(plan.seed))
        self._agenda: Agenda[Event, Following] = Agenda(plan.events())
        self._report_due_at = plan.start.replace(minute=_REPORTED_AT_MINUTE, second=0) + timedelta(hours=1)
        self._answers = 0
        self._judged: Future[None] = Future()
        self._judged.set_result(None)  # there is no day before the first

    def run(self) -> Volume:
        """Simulate everything and wait until the service has stored and judged it.

        Raises Interrupted when `stop` is set, SpansLost when the service does not take the telemetry, httpx.HTTPError
        when it fails.
        """
        with self._telemetry, ThreadPoolExecutor(max_workers=1) as jobs:
            for event in self._agenda.events():
                if self._stop.is_set():
                    raise Interrupted("Stopped before the end.")
                self._report_before(event.at)
                match event:
                    case Visit():
                        self._answer(self._first_asking(event))
                    case Asking():
                        self._answer(event)
                    case Rating():
                        self._clock.move_to(event.at)
                        self._telemetry.give(event)
                    case Release():
                        self._telemetry.release(event.version)
                    case DayEnd():
                        self._end_day(event, jobs)
            self._judged.result()
            self._monitor.run_due(self._plan.end)  # takes in the last labels
        return self._volume()

    def _report_before(self, at: datetime) -> None:
        """Report the counters once in each hour, before its end, as a process in real time does each minute."""
        while self._report_due_at <= at:
            self._clock.wait_until(self._report_due_at)
            self._telemetry.flush()
            self._report_due_at += timedelta(hours=1)

    def _first_asking(self, visit: Visit) -> Asking:
        parts = self._plan.parts_at(self._healthy, visit.at)
        return Asking(visit.at, visit, self._plan.question(visit, parts))

    def _answer(self, asking: Asking) -> None:
        parts = self._plan.parts_at(self._healthy, asking.at)
        self._clock.move_to(asking.at)
        if asking.instead_of is not None:
            self._telemetry.regenerated(asking.instead_of, f"{self._plan.seed}-{asking.visit.number}-{asking.turn}")
        answered = self._app.answer(self._plan.request(asking), parts)
        self._answers += 1
        self._truth.note(asking, parts)
        self._telemetry.await_probes()
        self._telemetry.relieve()
        for following in followings(asking, answered, parts.habits, self._plan.seed):
            self._agenda.add(following)

    def _end_day(self, day: DayEnd, jobs: ThreadPoolExecutor) -> None:
        self._judged.result()
        self._telemetry.flush()
        self._judged = jobs.submit(self._judge, day.at)
        self._tell(self._answers, day.number)

    def _judge(self, at: datetime) -> None:
        """Run the jobs of a day, then review what they drew."""
        self._monitor.run_due(at)
        self._review()

    def _volume(self) -> Volume:
        return Volume(
            seed=self._plan.seed,
            end=self._plan.end,
            answers=self._answers,
            days=self._plan.days,
            spans_sent=self._telemetry.spans_started(),
            spans_stored=self._monitor.spans_stored(SERVICE),
        )
