import threading
import time
from datetime import datetime

import ragvigil
from ragvigil import attributes as names
from ragvigil.testing import receiving, strict
from ragvigil_monitor.demo.library import Library
from ragvigil_monitor.demo.live import BUSIEST_PER_MINUTE, QUIETEST_LOAD, send_live_traffic
from ragvigil_monitor.demo.plan import Plan

WAIT_S = 30.0


def test_real_answers_arrive_until_someone_stops(library: Library, now: datetime) -> None:
    plan, stop = Plan.draw(seed=1, end=now, days=1, answers=10), threading.Event()
    with strict(), receiving() as receiver:
        traffic = threading.Thread(
            target=send_live_traffic, args=[plan, library, receiver.endpoint, stop], kwargs={"per_minute": 600.0}
        )
        began = time.time_ns()
        traffic.start()
        deadline = time.monotonic() + WAIT_S
        while not any(span.name == "ask" for span in receiver.spans) and time.monotonic() < deadline:
            stop.wait(0.05)
        stop.set()
        traffic.join(WAIT_S)
    assert not traffic.is_alive()
    spans = [span for span in receiver.spans if span.name == "ask"]
    assert spans
    assert all(span.start_ns >= began for span in spans)
    assert {span.resource[names.SERVICE_VERSION] for span in spans} == {plan.releases[-1].version}


def test_even_at_night_there_is_an_answer_every_minute_or_so() -> None:
    assert BUSIEST_PER_MINUTE * QUIETEST_LOAD >= 1


def test_stopped_before_it_begins_it_sends_nothing(library: Library, now: datetime) -> None:
    stop = threading.Event()
    stop.set()
    with strict(), receiving() as receiver:
        send_live_traffic(Plan.draw(seed=1, end=now, days=1, answers=10), library, receiver.endpoint, stop)
    assert receiver.spans == []


def test_a_service_that_is_gone_does_not_hold_up_the_end(library: Library, now: datetime) -> None:
    plan, stop = Plan.draw(seed=1, end=now, days=1, answers=10), threading.Event()
    traffic = threading.Thread(
        target=send_live_traffic, args=[plan, library, "http://127.0.0.1:9", stop], kwargs={"per_minute": 6000.0}
    )
    traffic.start()
    deadline = time.monotonic() + WAIT_S
    while ragvigil.counts().started == 0 and time.monotonic() < deadline:
        stop.wait(0.05)
    stop.set()
    traffic.join(WAIT_S)
    assert not traffic.is_alive()
