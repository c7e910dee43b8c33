"""A configured Ragvigil whose exported bytes can be searched."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.samples.keeping import KeepingExporter, Redacting

import ragvigil


@pytest.fixture
def redacting() -> Iterator[Redacting]:
    """Configure with these options; returns a function that flushes and gives what came out."""

    def configured(**options: Any) -> Callable[[], KeepingExporter]:
        exporter = KeepingExporter()
        ragvigil.configure(**{"secret_key": b"k" * 16, "exporter": exporter, "document_texts": True, **options})

        def flushed() -> KeepingExporter:
            assert ragvigil.flush()
            return exporter

        return flushed

    yield configured
    ragvigil.shutdown(timeout_s=1.0)
