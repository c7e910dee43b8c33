"""A configured Ragvigil for the tests of integrations."""

from collections.abc import AsyncIterator, Callable, Iterator

import pytest
from qdrant_client import AsyncQdrantClient, QdrantClient
from tests.samples.qdrant_docs import POINTS, VECTORS

import ragvigil
from ragvigil.testing import InMemoryExporter, SpanSnapshot

Spans = Callable[[], list[SpanSnapshot]]


@pytest.fixture
def configured() -> Callable[..., Spans]:
    """Configure Ragvigil with these options; what it returns gives the spans so far."""

    def configure(**options: object) -> Spans:
        exporter = InMemoryExporter()
        ragvigil.configure(service_name="shop", secret_key=b"k" * 16, exporter=exporter, **options)  # type: ignore[arg-type]  # the tests' options

        def spans() -> list[SpanSnapshot]:
            assert ragvigil.flush(timeout_s=30)
            return exporter.spans

        return spans

    return configure


@pytest.fixture
def spans(configured: Callable[..., Spans]) -> Spans:
    """Ragvigil as it is by default, and its spans so far."""
    return configured()


@pytest.fixture
def client() -> Iterator[QdrantClient]:
    """A client in local mode, with points."""
    made = QdrantClient(":memory:")
    made.create_collection("docs", vectors_config=VECTORS)
    made.upsert("docs", POINTS)
    yield made
    made.close()


@pytest.fixture
async def async_client() -> AsyncIterator[AsyncQdrantClient]:
    """The same, async."""
    made = AsyncQdrantClient(":memory:")
    await made.create_collection("docs", vectors_config=VECTORS)
    await made.upsert("docs", POINTS)
    yield made
    await made.close()
