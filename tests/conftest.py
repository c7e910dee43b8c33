"""What all tests share."""

import os
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import settings
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.util._once import Once

SYSTEM = Path(__file__).with_name("system")
QUICK_BETWEEN = 4

# A deadline per example is a wall time: it fails on a busy machine and proves nothing on an idle one.
settings.register_profile("ragvigil", deadline=None)
settings.load_profile("ragvigil")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Half as many workers again as cores: two fifths of the time tests wait, for servers, kills and browsers."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return int(os.environ.get("PYTEST_XDIST_AUTO_NUM_WORKERS", cores + cores // 2))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Spread the files that take long, which mostly wait, among quick ones, and leave quick ones for the end.

    Whoever got a long file last would work alone; long ones at once would leave the cores idle.
    """
    files = list(dict.fromkeys(item.path for item in items))
    long = list(dict.fromkeys(item.path for item in items if _takes_long(item)))
    quick = iter([file for file in files if file not in long])
    order = [each for file in long for each in (file, *islice(quick, QUICK_BETWEEN))]
    places = {file: place for place, file in enumerate([*order, *quick])}
    items.sort(key=lambda item: places[item.path])


def _takes_long(item: pytest.Item) -> bool:
    return SYSTEM in item.path.parents or any(item.get_closest_marker(name) for name in ("slow", "browser"))


@pytest.fixture(scope="session", autouse=True)
def _no_authorities(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let nobody trust a certificate: all is plain HTTP here, and each new client would read 20 ms of authorities."""
    with pytest.MonkeyPatch.context() as environment:
        environment.delenv("SSL_CERT_FILE", raising=False)
        environment.setenv("SSL_CERT_DIR", str(tmp_path_factory.mktemp("authorities")))
        yield


@pytest.fixture
def set_global(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[TracerProvider], TracerProvider]]:
    """Set the global provider, which OpenTelemetry allows once a process, for one test."""

    def set_provider(provider: TracerProvider) -> TracerProvider:
        monkeypatch.setattr(trace, "_TRACER_PROVIDER_SET_ONCE", Once())
        monkeypatch.setattr(trace, "_TRACER_PROVIDER", None)
        trace.set_tracer_provider(provider)
        return provider

    yield set_provider
    monkeypatch.undo()
