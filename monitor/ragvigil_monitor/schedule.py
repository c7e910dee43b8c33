"""Which job is due, up to when, and what happens when one fails. Only data time counts: `now` is an argument.

A job judges the times that are multiples of its `every_s` since the epoch. One is due `lateness_s` after it has
matured, so that late data is in. Where the job stopped is its watermark, committed together with the results: a run
that is interrupted repeats what was not committed, a pause is caught up, and a replay from nothing gives the same
tables.
"""

import logging
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from types import TracebackType
from typing import Self

from apscheduler.schedulers.background import BackgroundScheduler

from ragvigil_monitor.drift.alibi import AlibiDetect
from ragvigil_monitor.drift.cross_check import BACKEND, CROSS_CHECK, cross_check_job
from ragvigil_monitor.errors import ClockWentBack, StoreUnavailable
from ragvigil_monitor.guardrails.notifiers.storage import StorageNotices
from ragvigil_monitor.job import Job, NotNow, Turn
from ragvigil_monitor.jobs import jobs
from ragvigil_monitor.retention import oldest_spans
from ragvigil_monitor.service import Service, utc_now

logger = logging.getLogger(__name__)
_ticks = logger.getChild("ticks")
_ticks.setLevel(logging.ERROR)  # a tick that is left out is nothing to warn of: the one under way does its work

_one_at_a_time = threading.Lock()
_CHECK_S = 60.0
"""A failed check is tried again so soon; there is no hurry, and each try starts a process."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def run_due(service: Service, now: datetime, *, listed: Callable[..., Iterable[Job]] = jobs) -> dict[str, int]:
    """Run every job that is due at `now`; how many data times each judged.

    Runs are serialised. A job that fails is logged, noted in `job_problems` and tried again next time; the others run.
    Raises ValueError for a naive `now`, StoreUnavailable where nothing can be stored, so that no job need begin.
    """
    if now.tzinfo is None:
        raise ValueError(f"now={now.isoformat()} has no time zone")
    service.store.disk.require_room()
    with _one_at_a_time:
        failing = {problem["job"] for problem in service.store.rows("job_problems_now")}
        return {job.name: _guarded(service, job, now, job.name in failing) for job in listed(service.settings)}


def run_apart(service: Service, job: Job, now: datetime) -> int:
    """Run a job that may take long, and for which the others do not wait; it fails as one of them would."""
    failing = {problem["job"] for problem in service.store.rows("job_problems_now")}
    return _guarded(service, job, now, job.name in failing)


def due_ends(start: datetime, now: datetime, every_s: int, lateness_s: float) -> list[datetime]:
    """The multiples of `every_s` after `start` that are due at `now`, oldest first; `now` itself where every_s is 0."""
    if every_s == 0:
        return [now]
    first = int((start - _EPOCH) / timedelta(seconds=every_s)) + 1
    last = int((now - timedelta(seconds=lateness_s) - _EPOCH) / timedelta(seconds=every_s))
    return [_EPOCH + timedelta(seconds=every_s * number) for number in range(first, last + 1)]


def _guarded(service: Service, job: Job, now: datetime, was_failing: bool) -> int:
    failures = service.metrics.job_failures.labels(job.name)  # 0 from the first run on: a rise from nothing is none
    try:
        with service.metrics.job_s.labels(job.name).time():
            judged = _run(service, job, now)
    except Exception as failure:  # one job must not stop the others; the failure is logged and shown
        failures.inc()
        logger.exception("The job %s failed; it is tried again at the next run.", job.name)
        _note_problem(service, job.name, now, f"{type(failure).__name__}: {failure}")
        return 0
    if was_failing:
        _forget_problem(service, job.name)
    return judged


def _note_problem(service: Service, job: str, now: datetime, error: str) -> None:
    try:
        with service.store.transaction() as writer:
            writer.execute("note_job_problem", job=job, failed_at=now, error=error)
    except StoreUnavailable as failure:  # the store's own trouble is shown instead, and the other jobs may only read
        logger.error("That the job %s failed could not be noted: %s", job, failure)


def _forget_problem(service: Service, job: str) -> None:
    with service.store.transaction() as writer:
        writer.execute("clear_job_problem", job=job)


def forget_jobs_no_longer_run(service: Service) -> None:
    """Nobody can mend what settings have turned off, or a later version does not have."""
    listed = [job.name for job in jobs(service.settings)]
    checked = [CROSS_CHECK] if service.settings.drift.backend == BACKEND else []
    with service.store.transaction() as writer:
        writer.execute("forget_other_job_problems", jobs=listed + checked)


def _run(service: Service, job: Job, now: datetime) -> int:
    start = _start(service, job, now)
    if start is None:
        return 0
    ends = due_ends(start, now, job.every_s, service.settings.schedule.lateness_s + job.matures_s)
    judged = 0
    for some in _portions(ends, job.most_ends):
        judged += len(some)
        if not _take_turn(service, job, Turn(start, some, now)):
            break  # what comes later would leave this out for ever
        start = some[-1]
    return judged


def _start(service: Service, job: Job, now: datetime) -> datetime | None:
    """Where the job goes on; None while there is nothing to judge."""
    found = service.store.rows("watermark_of_job", job=job.name)
    if found:
        return _not_in_future(job, found[0]["done_up_to"], now)
    catch_up = now - timedelta(days=service.settings.schedule.catch_up_days)
    earliest = max(catch_up, oldest_spans(service, now) or catch_up)
    if job.every_s == 0:
        return earliest
    first_answer_at: datetime | None = service.store.row("first_answer_time")["first_answer_at"]
    return None if first_answer_at is None else max(first_answer_at, earliest)


def _not_in_future(job: Job, done_up_to: datetime, now: datetime) -> datetime:
    if done_up_to > now:
        raise ClockWentBack(job.name, done_up_to, now)
    return done_up_to


def _take_turn(service: Service, job: Job, turn: Turn) -> bool:
    """Whether the turn was taken: what the job wrote is stored, with its watermark."""
    write = job.run(service, turn)
    if write is None:
        return False
    with suppress(NotNow), service.store.transaction() as writer:
        write(writer)
        writer.execute("set_watermark", job=job.name, done_up_to=turn.ends[-1])
        return True
    return False


def _portions(ends: Sequence[datetime], size: int) -> list[Sequence[datetime]]:
    return [ends[begin : begin + size] for begin in range(0, len(ends), size)]


class Ticker:
    """Runs what is due at the service's clock, every `schedule.tick_s` seconds of real time; never where that is 0.

    A context manager. One run at a time: a tick that comes while another runs is left out, the next one catches up.
    The cross-check of drift evidence, where it is wanted, has a time of its own and is given up when this stops.
    """

    def __init__(self, service: Service) -> None:
        self._service = service
        self._scheduler = BackgroundScheduler(timezone=UTC, logger=_ticks)
        self._stopping = threading.Event()
        self._storage_notices = StorageNotices(service.settings)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Begin; the first run is at once."""
        tick_s = self._service.settings.schedule.tick_s
        if tick_s == 0:
            return
        self._repeat(self._watch_storage, tick_s)
        self._repeat(self._tick, tick_s)
        if self._service.settings.drift.backend == BACKEND:
            self._repeat(self._check_drift, max(tick_s, _CHECK_S))
        try:
            forget_jobs_no_longer_run(self._service)
        except StoreUnavailable as failure:
            logger.error("Which jobs are no longer run could not be noted: %s", failure)
        self._scheduler.start()

    def stop(self) -> None:
        """Let a run that has begun finish, then stop; a second call does nothing."""
        self._stopping.set()
        if self._scheduler.running:
            self._scheduler.shutdown(wait=True)

    def _repeat(self, task: Callable[[], None], every_s: float) -> None:
        self._scheduler.add_job(
            task,
            "interval",
            seconds=every_s,
            next_run_time=utc_now(),
            coalesce=True,
            max_instances=1,
            misfire_grace_time=None,
        )

    def _check_drift(self) -> None:
        alibi = AlibiDetect.of(self._service.settings.drift, self._stopping)
        run_apart(self._service, cross_check_job(alibi), self._service.clock())

    def _watch_storage(self) -> None:
        now = self._service.clock()
        self._storage_notices.tell(self._service.store.disk.troubles(now), now)

    def _tick(self) -> None:
        try:
            run_due(self._service, self._service.clock())
        except StoreUnavailable as failure:
            logger.warning("No job can run now: %s", failure)
