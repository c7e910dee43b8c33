"""A configured Ragvigil that probes every trace."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.samples.probed_search import Index

import ragvigil
from ragvigil.testing import InMemoryExporter

Configured = Callable[..., InMemoryExporter]


@pytest.fixture
def probing() -> Iterator[Configured]:
    """Configure with every trace in the sample; returns what keeps the telemetry."""

    def configured(**options: Any) -> InMemoryExporter:
        exporter = InMemoryExporter()
        ragvigil.configure(**{"secret_key": b"k" * 16, "exporter": exporter, "probe_share": 1.0, **options})
        return exporter

    yield configured
    ragvigil.shutdown(timeout_s=5.0)


@pytest.fixture
def index() -> Index:
    return Index()
