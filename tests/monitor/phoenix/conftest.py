"""A receiver in Phoenix's place, and forwarders that wait no longer than a test can."""

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.samples.otlp import NOW, span, traces

from ragvigil.export.backoff import Backoff
from ragvigil.testing import Receiver, receiving
from ragvigil_monitor.phoenix.forwarder import Forwarder
from ragvigil_monitor.settings import Phoenix

MakeForwarder = Callable[..., Forwarder]
SendSpans = Callable[..., None]


@pytest.fixture
def phoenix() -> Iterator[Receiver]:
    with receiving() as receiver:
        yield receiver


@pytest.fixture
def make_forwarder() -> Iterator[MakeForwarder]:
    """Makes a forwarder to an address, which tries again after a millisecond."""
    made = []

    def make(url: str, *, again_s: float = 0.001, **settings: Any) -> Forwarder:
        given = Phoenix(url=url, **{"share": 1.0, "timeout_s": 0.3, **settings})
        backoff = Backoff(again_s, again_s, random.Random(0))
        made.append(Forwarder(given, url, clock=lambda: NOW, backoff=backoff))
        return made[-1]

    yield make
    for forwarder in made:
        forwarder.close()


@pytest.fixture
def send_spans() -> SendSpans:
    """Sends a request of so many spans through a forwarder, as the receiver does."""

    def send(forwarder: Forwarder, spans: int = 1, *, trace: int = 1) -> None:
        picked = forwarder.pick(traces(*(span(number, trace=trace) for number in range(1, spans + 1))))
        assert picked is not None
        forwarder.forward(picked)

    return send
