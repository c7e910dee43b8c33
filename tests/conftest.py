"""What all tests share."""

from collections import Counter
from collections.abc import Callable, Iterator

import pytest
from hypothesis import settings
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.util._once import Once

# A deadline per example is a wall time: it fails on a busy machine and proves nothing on an idle one.
settings.register_profile("ragvigil", deadline=None)
settings.load_profile("ragvigil")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that hold slow tests: whoever got one of them last would work alone at the end."""
    slow = Counter(item.path for item in items if item.get_closest_marker("slow"))
    items.sort(key=lambda item: -slow[item.path])


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
