"""The background of probes: one at a time, bounded, and one that fails or hangs is counted."""

import threading
from collections.abc import Callable, Iterator

import pytest
from tests.samples.refusing import Refusing

from ragvigil import ProbeCounts
from ragvigil.counts import Counters
from ragvigil.probes.runner import ProbeRunner

WaitFor = Callable[[Callable[[], object]], None]


class Search:
    """A probe that waits until it is released, if it was told to hang."""

    def __init__(
        self, failure: BaseException | None = None, hangs: bool = False, can_be_cancelled: bool = False
    ) -> None:
        self.failure = failure
        self.can_be_cancelled = can_be_cancelled
        self.began = threading.Event()
        self.released = threading.Event()
        self.is_cancelled = False
        if not hangs:
            self.released.set()

    def run(self) -> None:
        self.began.set()
        self.released.wait(30)
        if self.failure is not None:
            raise self.failure

    def cancel(self) -> None:
        self.is_cancelled = True
        if self.can_be_cancelled:
            self.released.set()


@pytest.fixture
def counters() -> Counters:
    return Counters()


@pytest.fixture
def hanging() -> Iterator[Search]:
    search = Search(hangs=True)
    yield search
    search.released.set()


def probe_threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("ragvigil-probe")]


def test_probes_run_in_order_and_are_counted(counters: Counters) -> None:
    runner = ProbeRunner(counters, max_waiting=10, timeout_s=10)
    searches = [Search() for _ in range(5)]
    for search in searches:
        runner.submit(search)
    assert runner.wait(10)
    assert all(search.began.is_set() for search in searches)
    assert counters.read().probes == ProbeCounts(run=5)
    runner.stop()


def test_no_thread_runs_before_the_first_probe_and_none_after_the_end(counters: Counters, wait_for: WaitFor) -> None:
    wait_for(lambda: probe_threads() == [])  # those of other tests
    runner = ProbeRunner(counters, max_waiting=10, timeout_s=10)
    assert runner.wait(0)
    assert probe_threads() == []
    runner.submit(Search())
    assert runner.wait(10)
    assert probe_threads() == ["ragvigil-probes"]
    runner.stop()
    wait_for(lambda: probe_threads() == [])


@pytest.mark.parametrize("failure", [ConnectionError("no index"), SystemExit(3), KeyboardInterrupt()], ids=repr)
def test_a_failure_is_counted_and_told_and_the_next_one_runs(
    counters: Counters, failure: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    runner = ProbeRunner(counters, max_waiting=10, timeout_s=10)
    for search in (Search(failure), Search(failure), Search()):
        runner.submit(search)
    assert runner.wait(10)
    assert counters.read().probes == ProbeCounts(run=1, failed=2)
    assert caplog.text.count(f"a probe failed: {type(failure).__name__}") == 1
    runner.stop()


def test_one_that_hangs_is_counted_and_occupies_its_thread(
    counters: Counters, hanging: Search, wait_for: WaitFor, caplog: pytest.LogCaptureFixture
) -> None:
    runner = ProbeRunner(counters, max_waiting=2, timeout_s=0.05)
    runner.submit(hanging)
    wait_for(lambda: counters.read().probes.timed_out == 1)
    assert hanging.is_cancelled
    waiting = [Search() for _ in range(5)]
    for search in waiting:
        runner.submit(search)
    assert counters.read().probes == ProbeCounts(timed_out=1, dropped=3)
    assert not any(search.began.is_set() for search in waiting)
    assert "a probe took longer than 0.05 s" in caplog.text
    hanging.released.set()
    wait_for(lambda: counters.read().probes.run == 2)
    assert counters.read().probes == ProbeCounts(run=2, timed_out=1, dropped=3)
    runner.stop()


def test_nobody_waits_for_one_that_hangs(counters: Counters, hanging: Search, wait_for: WaitFor) -> None:
    runner = ProbeRunner(counters, max_waiting=2, timeout_s=0.05)
    runner.submit(hanging)
    wait_for(lambda: counters.read().probes.timed_out == 1)
    assert not runner.wait(timeout_s=3600)
    runner.stop()


def test_one_that_can_be_cancelled_makes_room(counters: Counters) -> None:
    runner = ProbeRunner(counters, max_waiting=2, timeout_s=0.05)
    runner.submit(Search(hangs=True, can_be_cancelled=True))
    runner.submit(Search())
    assert runner.wait(10)
    assert counters.read().probes == ProbeCounts(run=1, timed_out=1)
    runner.stop()


def test_more_than_may_wait_are_dropped(counters: Counters, hanging: Search) -> None:
    runner = ProbeRunner(counters, max_waiting=3, timeout_s=30)
    runner.submit(hanging)
    assert hanging.began.wait(10)
    for _ in range(10):
        runner.submit(Search())
    assert counters.read().probes == ProbeCounts(dropped=7)
    assert not runner.wait(timeout_s=0.05)
    hanging.released.set()
    assert runner.wait(10)
    assert counters.read().probes == ProbeCounts(run=4, dropped=7)
    runner.stop()


def test_the_end_drops_what_waits_and_takes_nothing_more(counters: Counters, hanging: Search) -> None:
    runner = ProbeRunner(counters, max_waiting=3, timeout_s=30)
    runner.submit(hanging)
    assert hanging.began.wait(10)
    runner.submit(Search())
    runner.stop()
    runner.submit(Search())
    assert counters.read().probes == ProbeCounts(dropped=2)


def test_many_threads_may_submit(counters: Counters) -> None:
    runner = ProbeRunner(counters, max_waiting=10_000, timeout_s=10)

    def work() -> None:
        for _ in range(100):
            runner.submit(Search())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert runner.wait(60)
    assert counters.read().probes == ProbeCounts(run=400)
    runner.stop()


def test_the_thread_is_started_later_when_the_system_has_none_at_first(
    counters: Counters, no_threads: Refusing
) -> None:
    runner = ProbeRunner(counters, max_waiting=10, timeout_s=10)
    runner.submit(Search())
    assert not runner.wait(20)
    no_threads.is_over = True
    runner.submit(Search())
    assert runner.wait(20)
    assert counters.read().probes == ProbeCounts(run=2)
    runner.stop()


def test_a_probe_without_a_thread_is_dropped_and_counted(counters: Counters, no_threads: Refusing) -> None:
    runner = ProbeRunner(counters, max_waiting=10, timeout_s=10)
    no_threads.is_over = True
    runner.submit(Search())
    assert runner.wait(20)
    no_threads.is_over = False
    runner.submit(Search())
    assert runner.wait(20)
    assert counters.read().probes == ProbeCounts(run=1, dropped=1)
    runner.stop()
