"""What all tests share."""

from collections.abc import Callable, Iterator

import pytest
from hypothesis import settings
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.util._once import Once

# A deadline per example is a wall time: it fails on a busy machine and proves nothing on an idle one.
settings.register_profile("ragvigil", deadline=None)
settings.load_profile("ragvigil")


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
