"""A configured Ragvigil that keeps what it exports, and a real HTTP receiver."""

import os
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from tests.samples.refusing import Refusing

import ragvigil
from ragvigil.guard import GUARD
from ragvigil.testing import InMemoryExporter, ManualClock, Receiver, SequentialIds, receiving, strict


@pytest.fixture(autouse=True)
def clean_process(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No environment of OpenTelemetry, own failures raised, nothing configured afterwards."""
    for name in [name for name in os.environ if name.startswith("OTEL_")]:
        monkeypatch.delenv(name)
    GUARD.forget()
    with strict():
        yield
    ragvigil.shutdown(timeout_s=1.0)
    ragvigil.mark_index(None)


@pytest.fixture
def lenient() -> Iterator[None]:
    """As in production: own failures are logged, not raised."""
    GUARD.strict = False
    yield
    GUARD.strict = True


@pytest.fixture
def clock() -> ManualClock:
    """A clock that the test moves."""
    return ManualClock()


@pytest.fixture
def exported(clock: ManualClock) -> Callable[[], InMemoryExporter]:
    """Ragvigil configured with a manual clock and counted ids; call it for what came out so far."""
    exporter = InMemoryExporter()
    ragvigil.configure(service_name="shop", secret_key=b"k" * 16, clock=clock, ids=SequentialIds(), exporter=exporter)

    def flushed() -> InMemoryExporter:
        assert ragvigil.flush()
        return exporter

    return flushed


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """A real receiver on a free port of the loopback interface."""
    with receiving() as made:
        yield made
        made.released.set()
        ragvigil.shutdown(timeout_s=1.0)


@pytest.fixture
def wait_for() -> Callable[[Callable[[], object]], None]:
    """Wait until something holds, at most ten seconds."""

    def wait(holds: Callable[[], object]) -> None:
        deadline = time.monotonic() + 10
        while not holds():
            assert time.monotonic() < deadline, "it never came true"
            time.sleep(0.005)

    return wait


@pytest.fixture
def no_threads(monkeypatch: pytest.MonkeyPatch) -> Refusing:
    """No thread of ours can be started."""
    made = Refusing()
    monkeypatch.setattr(threading.Thread, "start", lambda thread: made.start(thread))
    return made
